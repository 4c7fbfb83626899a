// What a person types behind the prompt of a program that only appends, and has not entered yet.

import { hashOf } from "./evidence.ts";
import { nothingBelow } from "./regions.ts";
import type { Screen } from "./screen.ts";
import type { Rest } from "./state.ts";

const prompt = /[>$#❯»›%]$/u;

/** Where such a program rests; undefined if it shows no prompt. */
export function restOf(screen: Screen): Rest | undefined {
  const { rows, cursor } = screen;
  const line = (rows[cursor.y] ?? "").slice(0, cursor.x).trim();
  if (!isAppended(screen) || !prompt.test(line) || !nothingBelow(screen)) return undefined;
  return { line, above: above(screen) };
}

/** Its prompt is where it was, and nothing is new above it. */
export function isTypedAt(rest: Rest | undefined, screen: Screen): boolean {
  if (rest === undefined) return false;
  const row = screen.rows[screen.cursor.y] ?? "";
  return row.trimStart().startsWith(rest.line) && above(screen) === rest.above;
}

/** It draws no screen of its own. */
export function isAppended({ alternate, paste, cursor }: Screen): boolean {
  return !alternate && !paste && !cursor.hidden;
}

function above({ rows, cursor }: Screen): number {
  return hashOf(rows.slice(0, cursor.y).join("\n"));
}
