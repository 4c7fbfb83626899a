import { expect, test } from "vitest";
import type { Result } from "./evaluate.ts";
import { duration, json, table } from "./report.ts";
import { HOUR, MINUTE, SECOND } from "./source.ts";

const score = { falseAlarms: 3, perAgentMonth: 1, mean: 30 * MINUTE, p50: 20 * MINUTE, p99: 4 * HOUR };
const result: Result = {
  agents: 3,
  days: 30,
  activities: 12_345,
  deaths: 100,
  budget: 3,
  margin: 2,
  firstWeek: 1,
  auto: score,
  fixed: { ...score, mean: 2 * HOUR, threshold: 2 * HOUR },
  ratio: 4,
};

test.each([
  [90 * SECOND, "90 s"],
  [53.4 * MINUTE, "53 min"],
  [119 * MINUTE, "119 min"],
  [4.5 * HOUR, "4.5 h"],
])("%d ms reads %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test("the table names both detectors under aligned headings", () => {
  const lines = table("A title", result).split("\n");
  expect(lines.slice(0, 2)).toEqual(["A title", "3 agents, 30 days, 12,345 activities, 100 deaths"]);
  expect(new Set(lines.slice(3, 6).map((line) => line.length)).size).toBe(1);
  expect(lines[5]).toContain("best fixed (2.0 h)");
});

test("a trace of less than a week is said to show priors only", () => {
  expect(table("A title", { ...result, days: 6.9 })).toContain("still young");
  expect(table("A title", { ...result, days: 7 })).not.toContain("still young");
});

test("the JSON gives times in seconds and says so", () => {
  expect(JSON.parse(json({ seed: 1 }, result))).toMatchObject({
    seed: 1,
    ratio: 4,
    auto: { falseAlarmsPerAgentMonth: 1, meanSeconds: 1800, p99Seconds: 14_400 },
    fixed: { thresholdSeconds: 7200 },
  });
});
