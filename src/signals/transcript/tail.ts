import type { Asks } from "../../core/asks.ts";
import type { Instant } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import type { Context, Reading } from "../../core/liveness/observation.ts";
import { readLine, type TurnWord } from "./line.ts";

/** What the end of a transcript tells. */
export interface Tail {
  /** When its last line was written, if that says so. */
  readonly at?: Instant;
  /** How many tool calls wait for their result. */
  readonly open: number;
  /** What a person is asked by one of them. */
  readonly asks?: Asks;
  readonly turn?: TurnWord;
  readonly resetAt?: Instant;
}

/** Reads whole lines; the first is dropped if it may be cut, a last one that is cut short does not parse. */
export function readTail(bytes: Uint8Array, isCut: boolean): Tail {
  const lines = new TextDecoder().decode(bytes).split("\n");
  if (isCut) lines.shift();
  const open = new Map<string, Asks | undefined>();
  let tail: Omit<Tail, "open" | "asks"> = {};
  for (const text of lines) {
    const line = text.trim() === "" ? undefined : readLine(text);
    if (line === undefined) continue;
    const { turn, opens, closes, at, resetAt, asks = {} } = line;
    for (const id of opens) open.set(id, asks[id]);
    for (const id of closes) open.delete(id);
    // A turn that is over, or a new question, leaves no call behind.
    const isCall = opens.length + closes.length > 0;
    if (turn === "ended" || turn === "limited" || turn === "login" || (turn === "asked" && !isCall))
      open.clear();
    tail = given({ ...(turn === undefined ? tail : { turn, resetAt }), at: at ?? tail.at });
  }
  const asks = [...open.values()].find((one) => one !== undefined);
  return { ...tail, open: open.size, ...given({ asks }) };
}

/** Some clients do not write that a turn ended: words that nothing followed for this long were the last. */
const LAST_WORDS = 120_000;

/** What a tail means at a moment; `undefined` if it says nothing. */
export function readingOf(
  { open, turn, asks }: Tail,
  silence: number,
): { reading: Reading; context: Context; detail?: string } | undefined {
  if (asks !== undefined) return { reading: "waiting", context: "unknown", detail: "question" };
  if (open > 0) return { reading: "working", context: "tool" };
  if (turn === undefined) return undefined;
  if (turn === "ended") return { reading: "idle", context: "unknown" };
  if (turn === "limited" || turn === "login") return { reading: turn, context: "unknown" };
  if (turn === "said" && silence >= LAST_WORDS) return { reading: "idle", context: "unknown" };
  return { reading: "working", context: "model" };
}
