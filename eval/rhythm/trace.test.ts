import { describe, expect, test } from "vitest";
import type { RhythmActivity } from "../../src/core/rhythm/rhythm.ts";
import { DAY, MINUTE } from "./source.ts";
import { parseTrace, TraceError } from "./trace.ts";

const T = Date.parse("2026-01-31T12:00:00Z") / 1000;

function read(...lines: unknown[]): { agent: number; fact: RhythmActivity }[] {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  const source = parseTrace(text, "trace.jsonl");
  const facts: { agent: number; fact: RhythmActivity }[] = [];
  for (let day = 0; day < source.days; day += 1) {
    source.day(day, (agent, fact) => facts.push({ agent, fact }));
  }
  return facts;
}

describe("what a trace may say", () => {
  const rows: [sentence: string, lines: unknown[], last: RhythmActivity][] = [
    [
      "seconds since 1970",
      [
        { agent: "a", t: T },
        { agent: "a", t: T + 60.5, context: "tool" },
      ],
      { at: 60_500, context: "tool", announced: 0 },
    ],
    [
      "an ISO time with its zone, and no context",
      [
        { agent: "a", t: T },
        { agent: "a", t: "2026-01-31T13:01:00+01:00", context: null },
      ],
      { at: MINUTE, context: "unknown", announced: 0 },
    ],
    [
      "a wait by its length in seconds",
      [{ agent: "a", t: T, context: "model", announced: 60 }],
      { at: 0, context: "model", announced: MINUTE },
    ],
    [
      "a wait by its end in seconds since 1970",
      [{ agent: "a", t: T, context: "model", announced: T + 60 }],
      { at: 0, context: "model", announced: MINUTE },
    ],
    [
      "a wait by its end as an ISO time",
      [{ agent: "a", t: T, context: "model", announced: "2026-01-31T12:01:00Z" }],
      { at: 0, context: "model", announced: MINUTE },
    ],
    [
      "lines in any order, with empty ones between, up to the last instant of a whole day",
      [{ agent: "a", t: T + 86_400, context: "tool" }, "", { agent: "a", t: T }],
      { at: DAY, context: "tool", announced: 0 },
    ],
  ];
  test.each(rows)("%s", (_sentence, lines, last) => {
    expect(read(...lines).at(-1)?.fact).toEqual(last);
  });

  test("a wait that was announced as it came lasts until that agent's next activity", () => {
    const lines = [
      { agent: "a", t: T, announced: true },
      { agent: "b", t: T + 1 },
      { agent: "a", t: T + 60 },
    ];
    expect(read(...lines).map(({ agent, fact }) => [agent, fact.announced])).toEqual([
      [0, MINUTE],
      [1, 0],
      [0, 0],
    ]);
  });
});

describe("what a trace may not say", () => {
  const rows: [sentence: string, line: unknown, message: string][] = [
    ["no JSON", "{agent", "trace.jsonl:2: is not JSON"],
    ["no object", "[1]", "trace.jsonl:2: is not a JSON object"],
    ["no agent", { t: T }, "trace.jsonl:2: agent: must be a name"],
    ["no time", { agent: "a" }, "trace.jsonl:2: t: must be seconds since 1970 or an ISO time"],
    ["milliseconds", { agent: "a", t: T * 1000 }, "trace.jsonl:2: t: 1769860800000 looks like milliseconds"],
    ["a time without its zone", { agent: "a", t: "2026-01-31T12:00:00" }, "is not an ISO time with its zone"],
    [
      "a context that there is not",
      { agent: "a", t: T, context: "pub" },
      "2: context: must be model, tool, unknown",
    ],
    [
      "a wait that is no time",
      { agent: "a", t: T, announced: "soon" },
      '2: announced: "soon" is not an ISO time',
    ],
    ["a wait below zero", { agent: "a", t: T, announced: -1 }, "2: announced: must be seconds"],
  ];
  test.each(rows)("%s is refused with file and line", (_sentence, line, message) => {
    expect(() => read({ agent: "a", t: T }, line)).toThrow(TraceError);
    expect(() => read({ agent: "a", t: T }, line)).toThrow(message);
  });

  test("nothing at all is refused", () => {
    expect(() => read("")).toThrow("trace.jsonl:1: the trace holds no activity");
  });
});
