import { expect, it } from "vitest";
import type { Config } from "../config/load.ts";
import type { UsageBudget } from "../core/usage/budget.ts";
import type { RollPlace } from "../watch/roll-place.ts";
import { budgetWatch } from "./usage.ts";

const NOON = Date.parse("2026-11-17T12:00:00Z");
const used = { input: 400, output: 600, cacheRead: 0, cacheWrite: 0, cost: 12, compactions: 0 };
const usage = { days: [{ day: "2026-11-17", ...used }], limits: [], at: NOON };
const place = {
  agent: { id: "builder", origin: "config" },
  entry: { observations: [], memories: { transcript: { ledger: { usage } } } },
} as unknown as RollPlace;

it("compares with the budget of the config that is in force, in money and in tokens", () => {
  let budget: UsageBudget | undefined;
  const config = () => ({ agents: [], defaults: { budget } }) as unknown as Config;
  const watch = budgetWatch(config, () => [place], "UTC");
  const over = () =>
    watch(NOON).map(({ facts: [fact] }) => (fact?.kind === "budget" ? fact.over : undefined));
  expect(over()).toEqual([]);
  budget = { day: 20 };
  expect(over()).toEqual([]);
  budget = { day: 10 };
  expect(over()).toEqual(["used 12.00 USD of 10.00 USD on 2026-11-17"]);
  budget = { tokens: 900 };
  expect(over()).toEqual(["used 1k tokens of 900 on 2026-11-17"]);
});
