import type { Instant, Millis } from "../duration.ts";
import type { CommandName, CommandResult, HostCommand } from "./command.ts";
import { ASKED_STEPS, COMMANDS } from "./command.ts";
import { HOST_NAME, type NumberedFact } from "./fact.ts";
import { readFact } from "./read-fact.ts";

/** The version of the wire. A hub knows this one. */
export const WIRE = 1;

/** What a host sends: facts after the number `from`, or none, which is a sign of life. */
export interface HostBatch {
  readonly v: typeof WIRE;
  readonly host: string;
  readonly spool: string;
  readonly boot: string;
  readonly version: string;
  readonly from: number;
  readonly clock: { readonly wall: Instant; readonly uptime: Millis };
  /** The process that speaks, and for how long it has run. Hosts of 0.1 do not say it. */
  readonly life?: { readonly id: string; readonly age: Millis };
  /** How many facts wait behind these. */
  readonly backlog: number;
  readonly facts: readonly NumberedFact[];
  /** Of a batch that was read: the number of its last fact, also if that is of a kind that we do not know. */
  readonly upTo?: number;
  /** How commands ended. */
  readonly results?: readonly CommandResult[];
  /** The host stops for good: its silence is no news. */
  readonly bye?: true;
}

/** What the hub answers. */
export interface HubAnswer {
  /** The number of the last fact that is stored: send from there. It may be lower than what was sent. */
  readonly acked: number;
  readonly commands: readonly HostCommand[];
  /** What the hub calls this host: somebody may have renamed it there. */
  readonly host?: string;
  /** Somebody looks at this host: ask for commands at once, and wait for them. */
  readonly watched?: true;
  /** Send marks less often: the hub is busy. */
  readonly slow?: Millis;
}

/** Reads a batch, or says what is wrong with it. A fact of a kind that we do not know is passed over, but counts. */
export function readBatch(value: unknown): HostBatch | string {
  if (!isRecord(value)) return "a batch must be an object";
  const { v, host, spool, boot, version, from, clock, life, backlog, facts, results, bye } = value;
  if (v !== WIRE) return `v must be ${WIRE}, not ${say(v)}`;
  if (typeof host !== "string" || !HOST_NAME.test(host))
    return `host must be a host's name, not ${say(host)}`;
  for (const [name, text] of Object.entries({ spool, boot, version }))
    if (!isShort(text)) return `${name} must be a short text`;
  if (!isCount(from)) return `from must be a whole number, not ${say(from)}`;
  if (!isCount(backlog)) return `backlog must be a whole number, not ${say(backlog)}`;
  if (!isRecord(clock) || !Number.isFinite(clock.wall) || !Number.isFinite(clock.uptime))
    return "clock must have wall and uptime in milliseconds";
  if (life !== undefined && (!isRecord(life) || !isShort(life.id) || !Number.isFinite(life.age)))
    return "life must have an id and an age in milliseconds";
  if (!Array.isArray(facts)) return "facts must be a list";
  let last = from;
  const known: NumberedFact[] = [];
  for (const each of facts as unknown[]) {
    if (!isRecord(each) || !isCount(each.seq)) return "each fact must have its number as seq";
    const { seq, fact } = each;
    if (seq <= last) return `fact ${seq} comes after ${last}: facts must be in the order of their numbers`;
    last = seq;
    const found = isRecord(fact) ? readFact(fact) : { wrong: "must be an object" };
    if (found === "unknown") continue;
    if ("wrong" in found) return `fact ${seq} ${found.wrong}`;
    known.push({ seq, fact: found });
  }
  if (results !== undefined && (!Array.isArray(results) || !results.every(isResult)))
    return "results must be a list of number, end and says";
  if (bye !== undefined && bye !== true) return `bye must be true or absent, not ${say(bye)}`;
  return { ...(value as unknown as HostBatch), facts: known, upTo: last };
}

function isShort(text: unknown): boolean {
  return typeof text === "string" && text !== "" && text.length <= 100;
}

function isResult(value: unknown): boolean {
  return (
    isRecord(value) &&
    isCount(value.number) &&
    typeof value.says === "string" &&
    ["done", "refused", "expired", "failed"].includes(String(value.end)) &&
    (value.screen === undefined || typeof value.screen === "string") &&
    (value.evidence === undefined || (Array.isArray(value.evidence) && value.evidence.every(isEvidence)))
  );
}

function isEvidence(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value.signal === "string" &&
    typeof value.says === "string" &&
    !Number.isNaN(Date.parse(String(value.at)))
  );
}

/** A command as a hub sends it, or undefined: a host does nothing that it does not know. */
export function readCommand(value: unknown): HostCommand | undefined {
  if (!isRecord(value)) return undefined;
  const { number, name, target, by, step, ttl } = value;
  const known = (COMMANDS as readonly unknown[]).includes(name);
  if (!isCount(number) || !known || typeof target !== "string" || typeof by !== "string") return undefined;
  if (typeof ttl !== "number" || !(ttl > 0)) return undefined;
  const which = ASKED_STEPS.find((each) => each === step);
  if (step !== undefined && which === undefined) return undefined;
  const answer = answerIn(value.answer);
  if ((name === "answer") !== (answer !== undefined)) return undefined;
  return {
    ...{ number, name: name as CommandName, target, by, ttl },
    ...(which === undefined ? {} : { step: which }),
    ...(answer === undefined ? {} : { answer }),
  };
}

/** The number of a choice and the question that it answers: nothing that could be typed. */
function answerIn(value: unknown): HostCommand["answer"] {
  if (!isRecord(value)) return undefined;
  const { choice, fingerprint } = value;
  const isSound = isCount(choice) && typeof fingerprint === "string" && /^[\w-]{1,64}$/.test(fingerprint);
  return isSound ? { choice, fingerprint } : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function say(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
