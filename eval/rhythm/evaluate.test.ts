import { expect, test } from "vitest";
import { evaluate } from "./evaluate.ts";
import { FLEET, fleet } from "./fleet.ts";
import { HOUR, MINUTE } from "./source.ts";
import { parseTrace } from "./trace.ts";

test("auto notices a death at least 3.5 times quicker than the best fixed limit, within the budget", () => {
  const small = { ...FLEET, agents: 40, days: 35, seed: 1 };
  const result = evaluate(fleet(small), { seed: 1, deathEvery: 50 });
  expect(result.ratio).toBeGreaterThanOrEqual(3.5);
  expect(result.auto.perAgentMonth).toBeLessThan(1.25);
  expect(result.fixed.falseAlarms).toBeLessThanOrEqual(result.auto.falseAlarms);
  expect(result.auto.p99).toBeLessThanOrEqual(4.5 * HOUR);
});

test("the same seed gives the same figures, and another seed others", () => {
  const judge = (seed: number) =>
    evaluate(fleet({ ...FLEET, agents: 3, days: 4, seed }), { seed, deathEvery: 50 });
  expect(judge(7)).toEqual(judge(7));
  expect(judge(7)).not.toEqual(judge(8));
});

test("false alarms and times are counted as the definition says", () => {
  // Two silences of a tool: one of 70 min, beyond the hour that a new agent is allowed, and one of 50 min.
  const lines = [0, 70, 120, 121].map((minute) => ({ agent: "a", t: minute * 60, context: "tool" }));
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  const result = evaluate(parseTrace(text, "trace.jsonl"), { seed: 1, deathEvery: 1 });
  expect(result).toMatchObject({ agents: 1, activities: 4, deaths: 4, auto: { falseAlarms: 1 } });
  expect(result.fixed).toMatchObject({ falseAlarms: 1, threshold: 50 * MINUTE, mean: 50 * MINUTE });
  expect(result.auto.p50).toBeGreaterThanOrEqual(HOUR);
});

test("a trace in which nobody is ever busy is refused", () => {
  const source = parseTrace('{"agent":"a","t":1,"context":"idle"}', "trace.jsonl");
  expect(() => evaluate(source, { seed: 1, deathEvery: 1 })).toThrow("no agent was ever busy");
});
