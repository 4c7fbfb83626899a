import { isAgentId } from "../agent.ts";
import { isAsked } from "../agent-question.ts";
import { REASONS, STATES } from "../liveness/state.ts";
import { type FactKind, type HostFact, hubName } from "./fact.ts";

type Plain = Readonly<Record<string, unknown>>;

/** Words that a store keeps no others of, by the kind of fact. */
const WORDS: Readonly<Partial<Record<FactKind, Readonly<Record<string, readonly string[]>>>>> = {
  episode: { kind: ["agent", "reboot"], severity: ["warning", "critical"] },
  recovery: { state: ["planned", "acting", "done", "failed", "dropped"] },
  cycle: { outcome: ["crashed", "killed"] },
  blind: { cause: ["outage", "suspend", "step", "store", "lag", "paused"] },
};

const TEXTS: Readonly<Partial<Record<FactKind, readonly string[]>>> = {
  entry: ["id", "why"],
  flip: ["id", "why"],
  episode: ["id", "subject", "group", "why"],
  recovery: ["id", "incident", "agent", "do", "why"],
  cycle: ["agent"],
};

const NUMBERS: Readonly<Partial<Record<FactKind, readonly string[]>>> = {
  entry: ["since"],
  flip: ["since"],
  episode: ["since", "noticedAt", "openedAt", "change"],
  recovery: ["plannedAt", "step"],
  cycle: ["number", "beganAt", "lastAt"],
  blind: ["from", "to"],
};

/**
 * Reads one fact of a host. `"unknown"`: a kind of a later version, which is passed over. Everything else that is not right is
 * said in a few words: nothing of it may reach the store, which would refuse all that comes with it.
 */
export function readFact(value: Plain): HostFact | "unknown" | { readonly wrong: string } {
  const { k, at } = value;
  if (!Number.isFinite(at)) return { wrong: "needs at, in milliseconds" };
  if (!areFinite(value)) return { wrong: "has a number that is not finite" };
  switch (k) {
    case "dropped":
      return isCount(value.count) ? (value as unknown as HostFact) : { wrong: "needs a count" };
    case "hello":
      return isTexts(value.agents) ? (value as unknown as HostFact) : { wrong: "needs the names of agents" };
    case "removed":
      return typeof value.agent === "string" ? (value as unknown as HostFact) : { wrong: "needs an agent" };
    case "entry":
    case "flip":
      return bodyOf(value, k, "entry");
    case "episode":
    case "recovery":
    case "cycle":
      return bodyOf(value, k, k);
    case "blind":
      return bodyOf(value, k, "span");
    default:
      return "unknown";
  }
}

function bodyOf(value: Plain, kind: FactKind, field: string): HostFact | { readonly wrong: string } {
  const body = value[field];
  if (!isPlain(body)) return { wrong: `needs ${field}` };
  for (const name of TEXTS[kind] ?? [])
    if (typeof body[name] !== "string" || body[name] === "")
      return { wrong: `needs the text ${field}.${name}` };
  for (const name of NUMBERS[kind] ?? [])
    if (typeof body[name] !== "number") return { wrong: `needs the number ${field}.${name}` };
  for (const [name, words] of Object.entries(WORDS[kind] ?? {}))
    if (!words.includes(String(body[name])))
      return { wrong: `has the unknown ${field}.${name} ${say(body[name])}` };
  if (kind === "episode" && !isEpisode(body)) return { wrong: "is not a whole episode" };
  if (kind === "recovery" && !isPlain(body.aim)) return { wrong: "needs recovery.aim" };
  const agent = body[kind === "entry" || kind === "flip" ? "id" : kind === "episode" ? "subject" : "agent"];
  // With the longest host name there must be room for both.
  if (kind !== "blind" && !(typeof agent === "string" && isAgentId(hubName(agent, "h".repeat(40)))))
    return { wrong: `names no agent: ${say(agent)}` };
  return { ...value, [field]: withKnownWords(body, kind) } as unknown as HostFact;
}

function isEpisode(body: Plain): boolean {
  const { episodes, flapping, flaps, resolved, asked } = body;
  return (
    Array.isArray(episodes) &&
    episodes.every((at) => typeof at === "number") &&
    typeof flapping === "boolean" &&
    (flaps === undefined || (isPlain(flaps) && typeof flaps.change === "number")) &&
    (asked === undefined || isAsked(asked)) &&
    (resolved === undefined || (isPlain(resolved) && typeof resolved.at === "number"))
  );
}

/** States and reasons of a later version are not known here: nobody can tell what they mean. */
function withKnownWords(body: Plain, kind: FactKind): Plain {
  if (kind !== "entry" && kind !== "flip" && kind !== "episode") return body;
  const state = Object.hasOwn(STATES, String(body.state)) ? body.state : "unknown";
  const isKnown = Object.hasOwn(REASONS, String(body.reason)) || body.reason === "host-rebooted";
  return { ...body, state, reason: isKnown ? body.reason : "not-watched" };
}

function areFinite(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(areFinite);
}

function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function say(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
