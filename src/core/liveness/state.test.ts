import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exitCodeOf, REASONS, STATES, type State } from "./state.ts";

/** The rows of the table under a heading of docs/states.md, as lists of cells. */
function rowsUnder(heading: string): string[][] {
  const page = readFileSync(new URL("../../../docs/states.md", import.meta.url), "utf8");
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const code = (text: string) => `\`${text}\``;

describe("docs/states.md", () => {
  it("has every state, its meaning and its exit code, as the code has them", () => {
    const documented = rowsUnder("States").map(([state, means, , , , exit]) => [state, means, exit]);
    const states = Object.entries(STATES) as [State, string][];
    expect(documented).toEqual(
      states.map(([state, means]) => [code(state), means, String(exitCodeOf(state))]),
    );
  });

  it("says of every state what opens it, what ends it and what is done about it", () => {
    for (const cells of rowsUnder("States")) expect(cells.filter((cell) => cell.length > 2)).toHaveLength(5);
  });

  it("has every reason and its meaning, as the code has them", () => {
    const documented = rowsUnder("Reasons").map(([reason, means]) => [reason, means]);
    expect(documented).toEqual(Object.entries(REASONS).map(([reason, means]) => [code(reason), means]));
  });

  it("names only states beside the reasons", () => {
    for (const [, , states] of rowsUnder("Reasons")) {
      for (const state of states?.split(", ") ?? []) expect(Object.keys(STATES).map(code)).toContain(state);
    }
  });
});
