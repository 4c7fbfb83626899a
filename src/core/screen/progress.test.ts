import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { advance, noProgress, type Progress, repeats } from "./progress.ts";

const watch = (frames: readonly (readonly string[])[], scrolled = 0): Progress =>
  frames.reduce<Progress>(
    (before, rows, i) => advance(before, { content: rows, above: 0, chrome: [], scrolled }, i * 1000),
    noProgress(0),
  );

describe("something new", () => {
  it("is a line that was not known", () =>
    expect(watch([["a line"], ["a line", "another"]]).novelAt).toBe(1000));
  it("is a line that grows", () => expect(watch([["I will"], ["I will run"]]).novelAt).toBe(1000));
  it("is a count higher than any before", () => {
    expect(watch([["[1/40] compiling a_1.c"], ["[2/40] compiling a_2.c"]]).novelAt).toBe(1000);
  });
  it("is not a clock", () => expect(watch([["12:00:01 refused"], ["12:00:02 refused"]]).novelAt).toBe(0));
  it("is not the next attempt", () => {
    expect(watch([["Error: refused, attempt 1"], ["Error: refused, attempt 2"]]).novelAt).toBe(0);
  });
  it("is not a line that begins as a known one while it is written", () => {
    expect(watch([["The database refused."], ["The database refused.", "The data"]]).novelAt).toBe(0);
  });
  it("is not a text that comes and goes", () => {
    expect(watch([["a tip"], ["a joke"], ["a tip"], ["a joke"]]).novelAt).toBe(1000);
  });
  it("is not a dot more or less behind a word", () => {
    expect(watch([["Thinking."], ["Thinking.."], ["Thinking..."], ["Thinking…"]]).novelAt).toBe(0);
  });
});

describe("a loop", () => {
  const block = ["Let me try again.", "$ node fail.js", "Error: refused"];
  it("is the same block again and again", () => {
    const frames = [1, 2, 3, 4, 5].map((n) => Array.from({ length: n }, () => block).flat());
    expect(repeats(watch(frames))).toBe(true);
  });
  it("is seen on a full screen of equal rows that scrolls", () => {
    const full = Array.from({ length: 40 }, () => "Error: refused");
    expect(repeats(watch([full, full, full], 2))).toBe(true);
  });
  it("is not a table whose rows differ", () => {
    const rows = ["alpha", "beta", "gamma", "delta"].map((name) => `ok ${name}`);
    expect(repeats(watch([rows, rows, rows, rows]))).toBe(false);
  });
});

describe("a counter of tokens", () => {
  const count = (before: Progress, chrome: string, t: number) =>
    advance(before, { content: ["x"], above: 0, chrome: [chrome], scrolled: 0 }, t);
  it("that moves is work, and one that stands still is not", () => {
    const first = count(noProgress(0), "✽ Word… (↓ 10 tokens)", 1000);
    const moved = count(first, "✽ Word… (↓ 11 tokens)", 2000);
    expect(moved.countedAt).toBe(2000);
    expect(count(moved, "✽ Word… (↓ 11 tokens)", 3000).countedAt).toBe(2000);
  });
});

describe("a tool's own clock", () => {
  const tick = (above: number) =>
    [0, 1, 2].reduce<Progress>(
      (before, i) =>
        advance(before, { content: ["$ make", `Elapsed ${i}.0s`], above, chrome: [], scrolled: 0 }, i * 1000),
      noProgress(0),
    );
  it("is seen above the busy line", () => expect(tick(2)).toMatchObject({ turnedAt: 2000, novelAt: 0 }));
  it("is nothing below it, where footers have clocks too", () => expect(tick(0).turnedAt).toBeLessThan(0));
});

it("memory stays bounded whatever is said", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.string({ maxLength: 300 }), { maxLength: 80 }), { maxLength: 12 }),
      (frames) => {
        expect(JSON.stringify(watch(frames)).length).toBeLessThan(96 * 1000);
        expect(watch(frames).lines.length).toBeLessThanOrEqual(96);
      },
    ),
    { numRuns: 40 },
  );
});
