import { isAgentId } from "./agent.ts";
import type { Asks } from "./asks.ts";
import {
  type Beat,
  type BeatSource,
  type BeatStatus,
  type CycleOutcome,
  type Incarnation,
  SAID_STATES,
  type SaidState,
} from "./beat.ts";
import type { Instant } from "./duration.ts";
import { nearest } from "./nearest.ts";
import { redact } from "./redact.ts";

/** What is wrong with something that came from outside: where, what stood there, what would be right. */
export interface InputProblem {
  readonly path: string;
  readonly value: unknown;
  readonly expected: string;
}

/** How a beat arrived: it decides what the sender may leave out. */
export interface Arrival {
  readonly receivedAt: Instant;
  readonly newId: () => string;
  readonly spooled?: boolean;
  /** The sender showed no token, nor came by a file or socket of the home. */
  readonly unproven?: boolean;
  /** Unknown keys are refused where the sender hears of it, and ignored in what waited in the spool. */
  readonly strict?: boolean;
}

const ACTION_LENGTH = 1000;
const MESSAGE_LENGTH = 10_000;
const HOST_LENGTH = 255;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const KEYS =
  "id agent host incarnation source cycle cycleEvent outcome action status message state asks until sentAt".split(
    " ",
  );

export class Refused extends Error {
  readonly problem: InputProblem;

  constructor(path: string, value: unknown, expected: string) {
    super(path);
    this.problem = { path, value, expected };
  }
}

/** Reads one beat out of parsed JSON: a beat, or what is wrong with it. It never throws. */
export function readBeat(value: unknown, arrival: Arrival): { beat: Beat } | { problem: InputProblem } {
  try {
    return { beat: beatFrom(value, arrival) };
  } catch (error) {
    if (error instanceof Refused) return { problem: error.problem };
    throw error;
  }
}

function beatFrom(value: unknown, arrival: Arrival): Beat {
  if (!isRecord(value)) throw new Refused("", value, "an object with at least an agent");
  if (arrival.strict === true) refuseUnknown(value);
  const agent = value.agent;
  if (typeof agent !== "string" || !isAgentId(agent)) throw new Refused("agent", agent, AGENT_ID_FORM);
  // Filled in place: every beat passes here, and spreading a dozen small objects costs more than all the checks.
  const beat: { -readonly [K in keyof Beat]: Beat[K] } = {
    id: idIn(value.id) ?? arrival.newId(),
    agent,
    source: oneOf<BeatSource>(value, "source", ["agent", "wrapper"]) ?? "agent",
    status: oneOf<BeatStatus>(value, "status", ["ok", "error"]) ?? "ok",
    sentAt: timeIn(value, "sentAt") ?? arrival.receivedAt,
    receivedAt: arrival.receivedAt,
  };
  const host = text(value, "host", HOST_LENGTH);
  if (host !== undefined) beat.host = host;
  const incarnation = incarnationIn(value.incarnation);
  if (incarnation !== undefined) beat.incarnation = incarnation;
  const cycle = cycleIn(value.cycle);
  if (cycle !== undefined) beat.cycle = cycle;
  const cycleEvent = oneOf<"begun" | "ended">(value, "cycleEvent", ["begun", "ended"]);
  if (cycleEvent !== undefined) beat.cycleEvent = cycleEvent;
  const outcome = oneOf<CycleOutcome>(value, "outcome", ["ok", "error", "crashed", "killed"]);
  if (outcome !== undefined) beat.outcome = outcome;
  const action = text(value, "action", ACTION_LENGTH);
  if (action !== undefined) beat.action = action;
  const message = text(value, "message", MESSAGE_LENGTH);
  if (message !== undefined) beat.message = message;
  const state = oneOf<SaidState>(value, "state", SAID_STATES);
  if (state !== undefined) beat.state = state;
  const asks = asksIn(value.asks);
  if (asks !== undefined) beat.asks = asks;
  const until = timeIn(value, "until");
  if (until !== undefined) beat.until = until;
  if (arrival.spooled === true) beat.spooled = true;
  if (arrival.unproven === true) beat.unproven = true;
  return beat;
}

export const AGENT_ID_FORM =
  "an agent id: a letter or digit, then up to 127 letters, digits, '_', '@' or '-'";

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refuseUnknown(value: Record<string, unknown>): void {
  for (const key of Object.keys(value)) {
    if (KEYS.includes(key)) continue;
    const near = nearest(key, KEYS);
    throw new Refused(
      key.length > 80 ? `${key.slice(0, 79)}…` : key,
      value[key],
      near === undefined ? `one of ${KEYS.join(", ")}` : `did you mean "${near}"?`,
    );
  }
}

function oneOf<T extends string>(
  from: Record<string, unknown>,
  key: string,
  allowed: readonly T[],
): T | undefined {
  const value = from[key];
  if (value === undefined || value === null) return undefined;
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new Refused(key, value, allowed.map((each) => `"${each}"`).join(" or "));
  return found;
}

/** Text that is longer than we keep is cut and marked: losing the beat would be worse. */
function text(from: Record<string, unknown>, key: string, longest: number): string | undefined {
  const value = from[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new Refused(key, value, "text");
  if (value.length <= longest) return value.isWellFormed() ? value : value.toWellFormed();
  const cut = value.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "");
  return `${cut.toWellFormed()}…`;
}

function cycleIn(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new Refused("cycle", value, "a whole number from 0 up");
}

function idIn(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && UUID.test(value)) return value;
  throw new Refused("id", value, "a UUID in lower case");
}

function timeIn(from: Record<string, unknown>, key: string): Instant | undefined {
  const value = from[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && ISO.test(value)) {
    const at = Date.parse(value);
    if (Number.isFinite(at)) return at;
  }
  throw new Refused(key, value, "an ISO 8601 time such as 2026-01-31T08:00:00.000Z");
}

const QUESTION_LENGTH = 500;
const MOST_CHOICES = 10;

/** A question, alone or with its choices. People are shown it, so secrets are taken out. */
function asksIn(value: unknown): Asks | undefined {
  if (value === undefined || value === null) return undefined;
  const form = 'a question, or an object such as {"question": "Which one?", "choices": ["a", "b"]}';
  const given = typeof value === "string" ? { question: value } : value;
  if (!isRecord(given) || typeof given.question !== "string" || given.question === "")
    throw new Refused("asks", value, form);
  const { choices = [] } = given;
  const isList = Array.isArray(choices) && choices.every((choice) => typeof choice === "string");
  if (!isList || choices.length > MOST_CHOICES)
    throw new Refused("asks.choices", choices, `up to ${MOST_CHOICES} texts`);
  const words = (key: string, from: Record<string, unknown>) =>
    redact(text(from, key, QUESTION_LENGTH) ?? "");
  const listed = choices.map((choice) => words("choice", { choice }));
  return { question: words("question", given), ...(listed.length === 0 ? {} : { choices: listed }) };
}

function incarnationIn(value: unknown): Incarnation | undefined {
  if (value === undefined || value === null) return undefined;
  const form = 'an object such as {"pid": 123, "startTime": "456", "bootId": "…"}';
  if (!isRecord(value)) throw new Refused("incarnation", value, form);
  const { pid, startTime, bootId } = value;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid < 1)
    throw new Refused("incarnation.pid", pid, form);
  if (!isShort(startTime)) throw new Refused("incarnation.startTime", startTime, form);
  if (!isShort(bootId)) throw new Refused("incarnation.bootId", bootId, form);
  return { pid, startTime, bootId };
}

function isShort(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= 64;
}

/** `agent: expected an agent id …, not "a/b"`. */
export function sayProblem({ path, value, expected }: InputProblem): string {
  const where = path === "" ? "" : `${path}: `;
  if (expected.startsWith("did you mean")) return `${where}unknown key; ${expected}`;
  return `${where}expected ${expected}, not ${sayValue(value)}`;
}

function sayValue(value: unknown): string {
  if (value === undefined) return "nothing";
  const shown = JSON.stringify(value) ?? String(value);
  return shown.length > 80 ? `${shown.slice(0, 79)}…` : shown;
}
