import type { Instant } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import type { Context, Reading } from "../../core/liveness/observation.ts";
import { readLine } from "./line.ts";

/** What the end of a transcript tells. */
export interface Tail {
  /** When its last line was written, if that says so. */
  readonly at?: Instant;
  /** How many tool calls wait for their result. */
  readonly open: number;
  readonly turn?: "asked" | "said" | "ended" | "limited";
  readonly resetAt?: Instant;
}

/** Reads whole lines; the first is dropped if it may be cut, a last one that is cut short does not parse. */
export function readTail(bytes: Uint8Array, isCut: boolean): Tail {
  const lines = new TextDecoder().decode(bytes).split("\n");
  if (isCut) lines.shift();
  const open = new Set<string>();
  let tail: Omit<Tail, "open"> = {};
  for (const text of lines) {
    const line = text.trim() === "" ? undefined : readLine(text);
    if (line === undefined) continue;
    const { turn, opens, closes, at, resetAt } = line;
    for (const id of opens) open.add(id);
    for (const id of closes) open.delete(id);
    // A turn that is over, or a new question, leaves no call behind.
    const isCall = opens.length + closes.length > 0;
    if (turn === "ended" || turn === "limited" || (turn === "asked" && !isCall)) open.clear();
    tail = given({ ...(turn === undefined ? tail : { turn, resetAt }), at: at ?? tail.at });
  }
  return { ...tail, open: open.size };
}

/** Some clients do not write that a turn ended: words that nothing followed for this long were the last. */
const LAST_WORDS = 120_000;

/** What a tail means at a moment; `undefined` if it says nothing. */
export function readingOf(
  { open, turn }: Tail,
  silence: number,
): { reading: Reading; context: Context } | undefined {
  if (open > 0) return { reading: "working", context: "tool" };
  if (turn === undefined) return undefined;
  if (turn === "ended") return { reading: "idle", context: "unknown" };
  if (turn === "limited") return { reading: "limited", context: "unknown" };
  if (turn === "said" && silence >= LAST_WORDS) return { reading: "idle", context: "unknown" };
  return { reading: "working", context: "model" };
}
