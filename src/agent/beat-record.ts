import type { Incarnation } from "../system/proc.ts";
import { AgentError, sayValue } from "./error.ts";

/** What a sender says in a beat. Only the agent is needed. */
export interface BeatInput {
  readonly agent: string;
  readonly source?: "agent" | "wrapper" | undefined;
  readonly incarnation?: Incarnation | undefined;
  readonly cycle?: number | undefined;
  readonly cycleEvent?: "begun" | "ended" | undefined;
  /** How the cycle ended, where its status does not say it all. */
  readonly outcome?: EndOutcome | undefined;
  readonly action?: string | undefined;
  readonly status?: "ok" | "error" | undefined;
  readonly message?: string | undefined;
  /** What the agent says of itself: working, waiting (for a person), limited, idle or done. */
  readonly state?: BeatState | undefined;
  /** What a person is asked, with `waiting`. */
  readonly asks?: BeatAsks | undefined;
  /** Until when the state lasts, such as the end of a limit: ISO 8601. */
  readonly until?: string | undefined;
  /** By default now. */
  readonly sentAt?: string | undefined;
}

export type BeatState = "working" | "waiting" | "limited" | "idle" | "done";

export interface BeatAsks {
  readonly question: string;
  readonly choices?: readonly string[] | undefined;
}

export type EndOutcome = "ok" | "error" | "crashed" | "killed";

/** A beat as it stands in the files. `rollcall-beat` writes the same keys in the same order. */
export interface BeatRecord {
  readonly id: string;
  readonly agent: string;
  readonly host: string;
  readonly incarnation?: Incarnation;
  readonly source: "agent" | "wrapper";
  readonly cycle?: number;
  readonly cycleEvent?: "begun" | "ended";
  readonly outcome?: EndOutcome;
  readonly action?: string;
  readonly status: "ok" | "error";
  readonly message?: string;
  readonly state?: BeatState;
  readonly asks?: BeatAsks;
  readonly until?: string;
  /** ISO 8601, UTC, with milliseconds. */
  readonly sentAt: string;
}

/** Lengths are counted in UTF-16 units, as JavaScript does: a character outside the basic plane is two. */
const ACTION_LENGTH = 1000;
const MESSAGE_LENGTH = 10_000;
const QUESTION_LENGTH = 500;

/** The record of a beat; throws an `AgentError` for what cannot be one. */
export function beatRecord(
  input: BeatInput,
  stamp: { readonly id: string; readonly host: string; readonly sentAt: string },
): BeatRecord {
  const { source = "agent", status = "ok", cycle, cycleEvent, outcome, incarnation } = input;
  checkAgentId(input.agent);
  if (source !== "agent" && source !== "wrapper")
    throw new AgentError("bad-source", `source: expected "agent" or "wrapper", not ${sayValue(source)}`);
  checkStatus(status);
  if (cycle !== undefined) checkCycle(cycle, cycle);
  const action = fitText("action", input.action, ACTION_LENGTH);
  const message = fitText("message", input.message, MESSAGE_LENGTH);
  const { state, asks, until } = input;
  if (state !== undefined) checkState(state);
  return {
    id: stamp.id,
    agent: input.agent,
    host: stamp.host,
    ...(incarnation === undefined ? {} : { incarnation }),
    source,
    ...(cycle === undefined ? {} : { cycle }),
    ...(cycleEvent === undefined ? {} : { cycleEvent }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(action === "" ? {} : { action }),
    status,
    ...(message === "" ? {} : { message }),
    ...(state === undefined ? {} : { state }),
    ...(asks === undefined ? {} : { asks: fitAsks(asks) }),
    ...(until === undefined ? {} : { until: checkUntil(until) }),
    sentAt: input.sentAt ?? stamp.sentAt,
  };
}

export function checkAgentId(agent: string): void {
  if (typeof agent === "string" && /^[A-Za-z0-9][A-Za-z0-9_@-]{0,127}$/.test(agent)) return;
  const form = "an agent id: a letter or digit, then up to 127 letters, digits, '_', '@' or '-'";
  throw new AgentError("bad-agent-id", `agent: expected ${form}, not ${sayValue(agent)}`);
}

export function checkStatus(status: string): "ok" | "error" {
  if (status === "ok" || status === "error") return status;
  throw new AgentError("bad-status", `status: expected "ok" or "error", not ${sayValue(status)}`);
}

const STATES: readonly string[] = ["working", "waiting", "limited", "idle", "done"];

export function checkState(state: string): BeatState {
  if (STATES.includes(state)) return state as BeatState;
  throw new AgentError("bad-state", `state: expected one of ${STATES.join(", ")}, not ${sayValue(state)}`);
}

function checkUntil(until: string): string {
  if (typeof until === "string" && UNTIL.test(until) && Number.isFinite(Date.parse(until))) return until;
  const form = "an ISO 8601 time such as 2026-01-31T08:00:00Z";
  throw new AgentError("bad-until", `until: expected ${form}, not ${sayValue(until)}`);
}

const UNTIL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function fitAsks({ question, choices = [] }: BeatAsks): BeatAsks {
  const words = fitText("asks.question", question, QUESTION_LENGTH);
  const listed = choices.map((choice) => fitText("asks.choices", choice, QUESTION_LENGTH));
  return { question: words, ...(listed.length === 0 ? {} : { choices: listed }) };
}

/** The number of a cycle as an argument or a variable gives it; `key` names that in the error. */
export function cycleNumber(text: string, key = "cycle"): number {
  return checkCycle(/^[0-9]+$/.test(text) ? Number(text) : Number.NaN, text, key);
}

function checkCycle(cycle: number, shown: unknown, key = "cycle"): number {
  if (Number.isSafeInteger(cycle) && cycle >= 0) return cycle;
  const form = `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`;
  throw new AgentError("bad-cycle", `${key}: expected ${form}, not ${sayValue(shown)}`);
}

/**
 * Text as it is kept: too long, it is cut and marked, for losing the beat would be worse. Half characters,
 * which no UTF-8 can carry, and NUL, which PostgreSQL refuses, become U+FFFD. No text is empty text.
 */
function fitText(key: string, text: string | undefined, longest: number): string {
  if (text === undefined) return "";
  if (typeof text !== "string")
    throw new AgentError("bad-text", `${key}: expected text, not ${sayValue(text)}`);
  if (text.length <= longest) return wellFormed(text);
  const before = text.charCodeAt(longest - 2);
  const splitsPair = before >= 0xd800 && before <= 0xdbff;
  return `${wellFormed(text.slice(0, splitsPair ? longest - 2 : longest - 1))}…`;
}

function wellFormed(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, "\ufffd");
}
