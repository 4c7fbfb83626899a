// Reads a recorded trace: JSON Lines, one sign of activity a line, in any order.
//
//   {"agent": "coder-1", "t": 1767225600.25, "context": "tool", "announced": null}
//
// t is in seconds since 1970 or an ISO time with its zone. context is what the agent does from t on: model,
// tool, unknown (also if absent) or idle. announced is the wait that it announces at t: its length in seconds,
// its end (seconds since 1970 or an ISO time), or true if the silence that follows was announced as it came.
import type { GapContext, RhythmActivity } from "../../src/core/rhythm/rhythm.ts";
import { DAY, SECOND, type Source } from "./source.ts";

export class TraceError extends Error {
  readonly code = "TRACE_INVALID";

  constructor(file: string, line: number, problem: string) {
    super(`${file}:${line}: ${problem}`);
    this.name = "TraceError";
  }
}

type Entry = { agent: string; fact: RhythmActivity };
type Line = { agent: string; at: number; context: GapContext | "idle"; announced: number | "whole" };

/** A number of seconds beyond this cannot be an instant (it is the year 5138): it must be milliseconds. */
const LAST_INSTANT = 1e11;
/** A number of seconds from this on (the year 2001) cannot be the length of a wait: it must be an instant. */
const FIRST_INSTANT = 1e9;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:?\d\d)$/i;
const CONTEXTS: readonly unknown[] = ["model", "tool", "unknown", "idle"];

function isContext(value: unknown): value is GapContext | "idle" {
  return CONTEXTS.includes(value);
}

/** Milliseconds since 1970, or a sentence saying what is wrong. */
function instant(value: unknown): number | string {
  if (typeof value === "string") {
    const at = ISO.test(value) ? Date.parse(value) : Number.NaN;
    return Number.isNaN(at)
      ? `"${value}" is not an ISO time with its zone, such as 2026-01-31T12:00:00Z`
      : at;
  }
  if (typeof value !== "number" || value < 0) return "must be seconds since 1970 or an ISO time";
  return value < LAST_INSTANT ? value * SECOND : `${value} looks like milliseconds: give seconds since 1970`;
}

function wait(value: unknown, at: number): Line["announced"] | string {
  if (value === undefined || value === null || value === false) return 0;
  if (value === true) return "whole";
  if (typeof value === "number" && value >= 0 && value < FIRST_INSTANT) return value * SECOND;
  const end = instant(value);
  return typeof end === "string" ? end : Math.max(0, end - at);
}

function parseLine(text: string, fail: (problem: string) => never): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail("is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return fail("is not a JSON object");
  const { agent, t, context, announced } = value as Record<string, unknown>;
  if (typeof agent !== "string" || agent === "") return fail("agent: must be a name");
  const at = instant(t);
  if (typeof at === "string") return fail(`t: ${at}`);
  const does = context ?? "unknown";
  if (!isContext(does)) return fail("context: must be model, tool, unknown or idle");
  const waits = wait(announced, at);
  if (typeof waits === "string" && waits !== "whole") return fail(`announced: ${waits}`);
  return { agent, at, context: does, announced: waits };
}

/** Gives each line its wait: one that was announced just as it came lasts until the agent's next activity. */
function facts(sorted: readonly Line[], start: number): Entry[] {
  const next = new Map<string, number>();
  return sorted
    .toReversed()
    .map(({ agent, at, context, announced }) => {
      const length = announced === "whole" ? (next.get(agent) ?? at) - at : announced;
      next.set(agent, at);
      return { agent, fact: { at: at - start, context, announced: length } };
    })
    .toReversed();
}

function source(lines: readonly Line[], file: string): Source {
  const sorted = lines.toSorted((a, b) => a.at - b.at);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) throw new TraceError(file, 1, "the trace holds no activity");
  const numbers = new Map(
    [...new Set(sorted.map(({ agent }) => agent))].map((agent, index) => [agent, index]),
  );
  const days = Math.max(1, (last.at - first.at) / DAY);
  const byDay: Entry[][] = Array.from({ length: Math.ceil(days) }, () => []);
  for (const entry of facts(sorted, first.at)) {
    // An activity at the very end of the last day still belongs to it.
    byDay[Math.min(byDay.length - 1, Math.floor(entry.fact.at / DAY))]?.push(entry);
  }
  return {
    agents: numbers.size,
    days,
    day(day, emit) {
      for (const { agent, fact } of byDay[day] ?? []) emit(numbers.get(agent) ?? 0, fact);
    },
  };
}

export function parseTrace(text: string, file: string): Source {
  const lines: Line[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const fail = (problem: string): never => {
      throw new TraceError(file, index + 1, problem);
    };
    lines.push(parseLine(line, fail));
  }
  return source(lines, file);
}
