import { expect, it, vi } from "vitest";
import { countStates } from "../../core/liveness/state.ts";
import type { AgentWithPing } from "../../service/operations.ts";
import { countsWithout, rollColumns, shortLine, worstCode } from "./roll-table.ts";
import { table } from "./terminal.ts";

const rollOf = (agents: readonly AgentWithPing[]) => ({
  agents,
  counts: countStates(agents),
});
const agent = (id: string, group: string, state: string) => ({ id, group, state }) as AgentWithPing;

it("the canary, which dies on purpose, counts neither in the short line nor for the exit code", () => {
  const canary = agent("canary@web1", "canary", "late");
  const agents = [agent("allegro", "default", "alive"), canary];
  expect(shortLine(rollOf(agents), "plain")).toContain("1 ok");
  expect(shortLine(rollOf(agents), "plain")).not.toContain("late");
  expect(worstCode(rollOf(agents))).toBe(0);
  expect(worstCode(rollOf([...agents, agent("canary@web2", "default", "late")]))).toBe(1);
});

it("a mute and an acknowledgement do not push the reason out of a narrow terminal", () => {
  const now = Date.parse("2026-06-01T12:00:00Z");
  const [since, mutedUntil] = [new Date(now - 60_000).toISOString(), new Date(now + 60_000).toISOString()];
  const times = { since, lastBeatAt: since, mutedUntil, acknowledgedBy: "a-long-name" };
  const rest = { name: null, cycle: null, action: null, why: "no beat for 2 min; expected every minute" };
  const row = { ...agent("allegro", "default", "dead"), ...times, ...rest } as AgentWithPing;
  vi.stubEnv("COLUMNS", "80");
  const [, line = ""] = table([row], rollColumns(now)).split("\n");
  vi.unstubAllEnvs();
  expect(line).toContain("acked, muted 1 min; no beat for 2 min");
});

it("agents that were not read count too", () => {
  const roll = { agents: [agent("allegro", "default", "dead")], counts: { dead: 1, late: 2, alive: 5000 } };
  expect(shortLine(roll, "plain")).toContain("5000 ok");
  expect(shortLine(roll, "plain")).toContain("2 late");
  expect(worstCode({ ...roll, agents: [] })).toBe(2);
  expect(countsWithout(roll.counts, roll.agents)).toEqual({ late: 2, alive: 5000 });
});
