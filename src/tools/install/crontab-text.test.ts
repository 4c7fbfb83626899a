import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BlockName,
  blocksIn,
  blocksWithKeptLines,
  keptLine,
  withBlock,
  withoutBlock,
} from "./crontab.ts";

const block = (name: string, ...lines: string[]) =>
  [`# >>> rollcall ${name} >>>`, ...lines, "# <<< rollcall <<<", ""].join("\n");

describe("a block is put in", () => {
  test.each([
    ["an empty crontab", "", block("daemon", "x")],
    ["a crontab of others", "MAILTO=me\n0 1 * * * a\n", `MAILTO=me\n0 1 * * * a\n${block("daemon", "x")}`],
    ["no newline at the end", "0 1 * * * a", `0 1 * * * a\n${block("daemon", "x")}`],
    ["lines that end like those of DOS", "a\r\n\r\nb\r\n", `a\r\n\r\nb\r\n${block("daemon", "x")}`],
    ["ours in the middle", `a\n${block("daemon", "old", "y")}b`, `a\n${block("daemon", "x")}b`],
    ["an agent's block before it", block("agent a", "y"), block("agent a", "y") + block("daemon", "x")],
    [
      "ours twice, by hand",
      `${block("daemon", "1")}a\n${block("daemon", "2")}`,
      `${block("daemon", "x")}a\n`,
    ],
    ["ours after an editor of DOS", block("daemon", "x").replaceAll("\n", "\r\n"), block("daemon", "x")],
    ["ours last, without a newline", `a\n${block("daemon", "o")}`.trimEnd(), `a\n${block("daemon", "x")}`],
    ["an end without a beginning", "# <<< rollcall <<<\n", `# <<< rollcall <<<\n${block("daemon", "x")}`],
    [
      "a quoted beginning",
      "#  # >>> rollcall daemon >>>\n",
      `#  # >>> rollcall daemon >>>\n${block("daemon", "x")}`,
    ],
  ])("into %s", (_, before, after) => {
    expect(withBlock(before, "daemon", ["x"])).toBe(after);
    expect(withBlock(after, "daemon", ["x"])).toBe(after);
  });

  test("one for each agent, whose names may begin alike", () => {
    const both = withBlock(withBlock("a\n", "agent b", ["1"]), "agent bc", ["2"]);
    expect(both).toBe(`a\n${block("agent b", "1")}${block("agent bc", "2")}`);
    expect(withBlock(both, "agent b", ["3"])).toBe(`a\n${block("agent b", "3")}${block("agent bc", "2")}`);
    expect(withoutBlock(both, "agent b")).toBe(`a\n${block("agent bc", "2")}`);
    expect(blocksIn(both)).toEqual(["agent b", "agent bc"]);
  });

  test("an agent called daemon is not the daemon", () => {
    const text = withBlock("", "agent daemon", ["1"]);
    expect(withoutBlock(text, "daemon")).toBe(text);
  });
});

test("a line of the user's own comes back when the block that stands in for it goes", () => {
  const own = "30 2 * * *  /srv/backup.sh > /dev/null 2>&1 # <<< rollcall end\r";
  const text = `MAILTO=me\n${block("agent b", "x", keptLine(own))}after\n`;
  expect(withoutBlock(text, "agent b")).toBe(`MAILTO=me\n${own}\nafter\n`);
  const again = withBlock(text, "agent b", ["y"]);
  expect(again).toBe(`MAILTO=me\n${block("agent b", "y", keptLine(own))}after\n`);
  expect(withoutBlock(again, "agent b")).toBe(`MAILTO=me\n${own}\nafter\n`);
  expect(blocksWithKeptLines(text + block("daemon", "z"))).toEqual(["agent b"]);
});

test.each([
  ["at the end", "a\n# >>> rollcall daemon >>>\nb\n"],
  ["before another one", `# >>> rollcall daemon >>>\nb\n${block("agent a", "x")}`],
])("a block that does not end is left to a person: %s", (_, text) => {
  for (const act of [
    () => withBlock(text, "agent a", ["x"]),
    () => withoutBlock(text, "agent a"),
    () => blocksIn(text),
  ]) {
    expect(act).toThrow(expect.objectContaining({ code: "broken-block" }));
    expect(act).toThrow(/line [12] of the crontab begins the block "daemon"/);
  }
});

test("lines of others stay byte for byte, whatever they are and whatever is put in and taken out", () => {
  const byte = fc.oneof(fc.integer({ min: 1, max: 255 }), fc.constantFrom(10, 13, 35, 32, 62, 92));
  const line = fc.oneof(
    fc.array(byte, { maxLength: 30 }).map((bytes) => `${String.fromCharCode(...bytes)}\n`),
    fc.constantFrom("\n", "\r\n", "# >>> rollcall >>>\n", "# <<< rollcall\n", "#>>> rollcall daemon >>>\n"),
  );
  const others = fc.array(line, { maxLength: 12 }).map((lines) => lines.join(""));
  const name = fc.constantFrom<BlockName>("daemon", "agent a", "agent b");
  fc.assert(
    fc.property(others, others, fc.boolean(), name, name, (before, after, ours, first, second) => {
      const text = before + (ours ? block(first, "old") : "") + after;
      const changed = withBlock(withBlock(text, first, ["* x"]), second, ["@y"]);
      expect(withBlock(changed, second, ["@y"])).toBe(changed);
      expect(withoutBlock(withoutBlock(changed, first), second)).toBe(before + after);
    }),
  );
});
