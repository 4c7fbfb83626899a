import { describe, expect, it, onTestFinished } from "vitest";
import { type Column, onThisClock, table, wrap } from "./terminal.ts";

describe("wrap", () => {
  const painted = "\x1b[31m1 dead\x1b[39m, \x1b[32m5 alive\x1b[39m, \x1b[32m1 resting\x1b[39m";
  it.each([
    ["a line that fits stays", "two words", 9, " ", "two words"],
    ["a line is broken between words", "three short words", 12, " ", "three short\nwords"],
    ["the next line has the same indent", "  told team", 8, " ", "  told\n  team"],
    ["a word that is too long has a line of its own", "a pneumonia b", 5, " ", "a\npneumonia\nb"],
    ["wide characters count twice", "東京 東京", 8, " ", "東京\n東京"],
    ["colours take no room", painted, 16, ", ", painted.replace("alive\x1b[39m, ", "alive\x1b[39m,\n")],
    ["without a limit nothing is broken", "a b c", Number.POSITIVE_INFINITY, " ", "a b c"],
  ])("%s", (_, line, columns, between, lines) => expect(wrap(line, columns, between)).toBe(lines));
});

describe("table", () => {
  const columns: readonly Column<{ id: string; name: string }>[] = [
    { title: "AGENT", text: ({ id, name }) => `${id} (${name})`, least: 5, brief: ({ id }) => id },
    { title: "WHY", text: () => "because" },
  ];

  const at = (columns: number) => {
    const before = process.env.COLUMNS;
    onTestFinished(() => {
      if (before === undefined) delete process.env.COLUMNS;
      else process.env.COLUMNS = before;
    });
    process.env.COLUMNS = String(columns);
  };

  it("cuts columns with a largest width until a row fits", () => {
    at(60);
    const wide = ["ONE", "TWO", "THREE"].map((title) => ({ title, text: () => "x".repeat(50), most: 40 }));
    const lines = table([{}], wide).split("\n");
    expect(lines.map(({ length }) => length)).toEqual([expect.any(Number), 60]);
  });

  it("breaks a last column that wraps between words, below its title", () => {
    at(24);
    const says = "gone (the tmux session is gone), did not end";
    const rows = table(
      [{ says }],
      [
        { title: "SIGNAL", text: () => "tmux" },
        { title: "SAYS", text: (row) => row.says, wraps: true },
      ],
    );
    expect(rows.split("\n").map((line) => line.trim())).toEqual([
      "SIGNAL  SAYS",
      "tmux    gone (the tmux",
      "session is gone),",
      "did not end",
    ]);
  });

  it("shows the brief text where the whole one does not fit", () => {
    const before = process.env.COLUMNS;
    onTestFinished(() => {
      if (before === undefined) delete process.env.COLUMNS;
      else process.env.COLUMNS = before;
    });
    const rows = [
      { id: "bot", name: "b" },
      { id: "watcher", name: "the watcher" },
    ];
    process.env.COLUMNS = "80";
    expect(table(rows, columns)).toContain("watcher (the watcher)  because");
    process.env.COLUMNS = "18";
    expect(table(rows, columns)).toContain("bot (b)  because\nwatcher  because");
  });
});

it("an instant in a sentence is shown on the clock at hand, with or without milliseconds", () => {
  const now = Date.parse("2026-11-17T12:00:00Z");
  const said = onThisClock("resets at 2026-11-17T12:30:00.000Z, seen 2026-11-17T11:59:00Z", now);
  expect(said).toMatch(/^resets at \d\d:\d\d:00, seen \d\d:\d\d:00$/);
});
