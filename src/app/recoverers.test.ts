import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseConfig } from "../config/load.ts";
import type { Agent } from "../core/agent.ts";
import { ladderOf } from "./recoverers.ts";

const agent = (id: string, origin: Agent["origin"] = "config"): Agent => ({ id, origin, addedAt: 0 });

const steps = (ladder: ReturnType<typeof ladderOf>) => ladder.map((step) => step.do);

it("the examples of the docs are good configs", async () => {
  const text = readFileSync(new URL("../../docs/recoveries.md", import.meta.url), "utf8");
  const [first, second, resumed, third, ...more] = [...text.matchAll(/```yaml\n(.*?)```/gs)].map(
    ([, yaml = ""]) => yaml,
  );
  expect(more).toEqual([]);
  const fleet = await parseConfig(first ?? "", "docs");
  expect(fleet.agents.map(({ id }) => steps(ladderOf(fleet, agent(id))))).toEqual([
    ["nudge", "restart", "escalate"],
    ["release", "restart"],
    ["restart"],
  ]);
  const defaults = await parseConfig(second ?? "", "docs");
  expect(steps(ladderOf(defaults, agent("any", "added")))).toEqual(["restart", "escalate"]);
  const conversation = await parseConfig(resumed ?? "", "docs");
  expect(conversation.agents[0]?.recover).toMatchObject([{ with: { by: "resume" } }]);
  const passed = await parseConfig(third ?? "", "docs");
  expect(passed.agents[0]?.recover).toMatchObject([{ with: { passEnv: ["GITEA_TOKEN"] } }]);
});

it("nobody is restarted who is not named in the config: there is no ladder without one", async () => {
  const config = await parseConfig("agents: [{ id: a }]", "f");
  expect(ladderOf(config, agent("a"))).toEqual([]);
});

it("the default ladder is for those who name none, but not for whoever only sent a beat or for the watcher", async () => {
  const config = await parseConfig(
    "defaults: { recover: [{ do: escalate }] }\nagents: [{ id: a }, { id: b, recover: [] }]",
    "f",
  );
  const lengths = [agent("a"), agent("b"), agent("c", "added"), agent("d", "beat"), agent("rollcall@host")];
  expect(lengths.map((each) => ladderOf(config, each).length)).toEqual([1, 0, 1, 0, 0]);
  expect(ladderOf(config, undefined)).toEqual([]);
});

it("a mistake in a ladder is said with its line, its path and what would be right", async () => {
  const text = "agents:\n  - id: a\n    recover:\n      - { do: restart, wiht: { respawn: true } }";
  await expect(parseConfig(text, "f")).rejects.toThrow(
    'f:4: agents[0].recover[0].wiht: unknown key; did you mean "with"?',
  );
  await expect(parseConfig("agents: [{ id: a, recover: [{ do: nudge }] }]", "f")).rejects.toThrow(
    "f:1: agents[0].recover[0].text: expected one line of at most 500 characters to type",
  );
});
