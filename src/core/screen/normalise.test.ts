import { describe, expect, it } from "vitest";
import { counts, errorsIn, said, still, tokens, unboxed } from "./normalise.ts";

describe("what a row says without what moves by itself", () => {
  const same: [string, string, string][] = [
    ["spinner glyphs", "⠋ Thinking", "⠙ Thinking"],
    ["a star that turns", "✽ Marinating…", "✢ Marinating…"],
    ["elapsed seconds", "Marinating… (36s)", "Marinating… (1m 0s)"],
    ["an elapsed time that was not there before", "Marinating…", "Marinating… (9s)"],
    ["clock times", "12:00:01 connection refused", "23:59:59 connection refused"],
    ["dates with times", "2025-01-01T10:00:00 up", "2026-12-31T23:59:59 up"],
    ["numbers", "attempt 3 failed", "attempt 4 failed"],
    ["rates", "fetching 45 kB/s", "fetching 1.2 MB/s"],
    ["frames that turn in ASCII", "| Solving", "/ Solving"],
    ["a block that bounces", "░█        Waiting", "   █░     Waiting"],
    ["box borders", "│ text │", "text"],
  ];
  it.each(same)("is the same for %s", (_, a, b) => expect(said(a)).toBe(said(b)));

  it("differs where a bar grows", () => expect(said("[==>   ]")).not.toBe(said("[====> ]")));
  it("differs where blocks fill up", () => expect(said("██░░ 1")).not.toBe(said("███░ 1")));
  it("differs where dots are added", () => expect(said("test.py ...")).not.toBe(said("test.py ....")));
  it("is the same with a scroll bar at its end", () => {
    expect(said("a line of text       █")).toBe(said("a line of text"));
    expect(said("                     █")).toBe("");
  });
  it("keeps a bar of one block", () => expect(said("50 █")).not.toBe(said("50")));
  it("keeps words", () => expect(said("  ⎿  Running… (24s)")).toBe("⎿ Running…"));
});

describe("numbers that count", () => {
  it("are read with their units", () => expect(counts("30 14.3M of 47.6M")).toEqual([30, 14.3e6, 47.6e6]));
  it("leave out times, rates and identifiers", () =>
    expect(counts("pid 4711 took 12s at 5 MB/s")).toEqual([]));
  it("leave out rows that complain", () => expect(counts("Error: refused, attempt 7")).toEqual([]));
  it("keep rows that say that nothing failed", () => expect(counts("12 passed, 0 failed")).toEqual([12, 0]));
});

it("a row is the same whether its bullet is drawn or not, and differs by a number", () => {
  expect(still("● Bash(rm 3)")).toBe(still("  Bash(rm 3)"));
  expect(still("● Bash(rm 3)")).not.toBe(still("● Bash(rm 4)"));
});

describe("a counter of errors", () => {
  const rows: [string, number][] = [
    ["no sandbox (see /docs)   fake (100% context left)| ✖ 12 errors (ctrl+o for details)", 12],
    ["✖ 1 error", 1],
    ["no errors", 0],
    ["~/errors", 0],
    ["in version 2.3 errors are counted", 0],
  ];
  it.each(rows)("in %j is %d", (row, count) => expect(errorsIn(row)).toBe(count));
});

describe("a counter of tokens", () => {
  const rows: [string, number][] = [
    ["✽ Boogieing… (11s · ↓ 124 tokens)", 124],
    ["(6s · ↓ 1.2k tokens · esc to cancel)", 1200],
    ["↑ 3,400", 3400],
    ["nothing here", 0],
  ];
  it.each(rows)("of %j is %d", (row, expected) => expect(tokens(row)).toBe(expected));
});

it("a boxed row is unboxed", () => expect(unboxed("│ ❯ 1. Yes   │")).toBe("❯ 1. Yes"));
