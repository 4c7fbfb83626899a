import type { Instant } from "../duration.ts";
import { redact } from "../redact.ts";
import type { Repeats, Signal } from "./observation.ts";

/** One call of a tool, as a hook or a transcript tells of it. */
export interface ToolCall {
  /** What the client calls it, where it does: one that is told twice counts once. */
  readonly id?: string;
  /** The same for the same tool with the same input. */
  readonly key: string;
  /** The call as people read it: `Bash: npm test`. */
  readonly what: string;
}

/** What is known of the calls of one session: plain data, which survives a restart. */
export interface ToolCalls {
  /** The inputs of the session, last used last. */
  readonly known: readonly string[];
  /** The last calls that were nothing new, newest last; and how many there were since the last new input. */
  readonly last: readonly ToolCall[];
  readonly repeats: number;
  readonly newAt: Instant;
  /** The longest such row that has ended: so long this agent is used to repeat itself. */
  readonly longest: number;
  /** Since when it repeats itself for longer than that. */
  readonly loopsSince?: Instant;
}

/** So many calls in a row without a new input are a loop. */
const LOOP = 30;
/** So many inputs are remembered. Those that are used again are not forgotten, so that no loop is. */
const KNOWN = 400;

export const NO_CALLS: ToolCalls = { known: [], last: [], repeats: 0, newAt: 0, longest: 0 };

/** A call by its tool and its input; what people are shown of it holds no secrets. */
export function callOf(tool: string, input: unknown, id?: string): ToolCall {
  const written = JSON.stringify(input) ?? "";
  const words = wordsOf(input) ?? (written === "{}" ? "" : written);
  const what = redact(`${tool}${words === "" ? "" : `: ${words}`}`.slice(0, 400)).replace(/\s+/g, " ");
  return {
    ...(id === undefined || id === "" ? {} : { id: id.slice(0, 128) }),
    key: hashOf(`${tool} ${written}`),
    what: what.length <= 80 ? what : `${what.slice(0, 79)}…`,
  };
}

/** The one argument that says most. */
function wordsOf(input: unknown): string | undefined {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null) return undefined;
  const { command, cmd, file_path, path, pattern, url, query } = input as Record<string, unknown>;
  if (Array.isArray(command)) return command.map(String).join(" ");
  return [command, cmd, file_path, path, pattern, url, query].find((each) => typeof each === "string") as
    | string
    | undefined;
}

/** How many times as long as the longest row that has ended such a row must be before it is a loop. */
const USED_TO = 2;

export function allowedCalls({ longest }: ToolCalls): number {
  return Math.max(LOOP, USED_TO * longest);
}

/** The calls of a session after one more. */
export function withCall(calls: ToolCalls, call: ToolCall, at: Instant): ToolCalls {
  if (call.id !== undefined && calls.last.some(({ id }) => id === call.id)) return calls;
  const others = calls.known.filter((key) => key !== call.key);
  const isNew = others.length === calls.known.length;
  const known = [...others, call.key].slice(-KNOWN);
  const last = [...calls.last, call].slice(-LOOP);
  if (isNew) return { ...somethingNew(calls, at), known, last };
  const repeats = calls.repeats + 1;
  const loops = repeats >= allowedCalls(calls);
  const loopsSince = loops ? (calls.loopsSince ?? at) : undefined;
  return { ...calls, known, last, repeats, ...(loopsSince === undefined ? {} : { loopsSince }) };
}

/** Something new ends a row: another input, or a person's words. */
export function somethingNew({ loopsSince: _, ...calls }: ToolCalls, at: Instant): ToolCalls {
  return { ...calls, repeats: 0, newAt: at, longest: Math.max(calls.longest, calls.repeats) };
}

/** What they say of the agent. */
export function repeatsOf(calls: ToolCalls, signal: Signal, seenAt: Instant): Repeats {
  const { newAt, repeats, loopsSince, last } = calls;
  return {
    ...{ kind: "repeats", signal, at: newAt, seenAt, calls: repeats },
    ...(loopsSince === undefined ? {} : { loopsSince, quotes: quotesOf(last) }),
  };
}

/** `Bash: ls (15 times), Read: a.txt (15 times)`. */
function quotesOf(last: readonly ToolCall[]): string {
  const times = new Map<string, { what: string; count: number }>();
  for (const { key, what } of last) times.set(key, { what, count: (times.get(key)?.count ?? 0) + 1 });
  const often = [...times.values()].sort((a, b) => b.count - a.count);
  const named = often.slice(0, QUOTED).map(({ what, count }) => `${what} (${count} times)`);
  const more = often.length - named.length;
  return `${named.join(", ")}${more === 0 ? "" : ` and ${more} others`}`;
}

const QUOTED = 3;

/** 53 bits of a text (cyrb53): they only tell inputs of one session apart. */
function hashOf(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}
