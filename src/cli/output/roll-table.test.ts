import { expect, it } from "vitest";
import type { AgentWithPing } from "../../service/operations.ts";
import { shortLine, worstCode } from "./roll-table.ts";

const agent = (id: string, group: string, state: string) => ({ id, group, state }) as AgentWithPing;

it("the canary, which dies on purpose, counts neither in the short line nor for the exit code", () => {
  const canary = agent("canary@web1", "canary", "late");
  const roll = [agent("allegro", "default", "alive"), canary];
  expect(shortLine(roll, "plain")).toContain("1 ok");
  expect(shortLine(roll, "plain")).not.toContain("late");
  expect(worstCode(roll)).toBe(0);
  expect(worstCode([...roll, agent("canary@web2", "default", "late")])).toBe(1);
});
