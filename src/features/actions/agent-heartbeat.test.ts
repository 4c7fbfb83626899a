import { expect, it } from "vitest";
import { parseConfig } from "../../config/load.ts";
import { agentHeartbeats, sameHeartbeats, sayHeartbeat } from "./agent-heartbeat.ts";

const view = {
  id: "allegro",
  name: "Allegro",
  state: "alive",
  cycle: 7,
  action: "sync\ninbox",
  status: "ok",
} as const;

it.each([
  [view, "Allegro: alive, cycle 7, last action: sync inbox, status ok\nbeat 4 s ago"],
  [{ ...view, name: null, cycle: null, action: null, status: null }, "allegro: alive\nbeat 4 s ago"],
])("A2: an agent's heartbeat says its name, cycle, last action and status: %j", (said, text) => {
  expect(sayHeartbeat({ ...said, why: "beat 4 s ago" })).toBe(text);
});

const CHANNELS = "channels: { team: { kind: ntfy, topic: x }, more: { kind: ntfy, topic: y } }";

it("A2: goes to the channel that the agent names, every 15 minutes unless it says otherwise", async () => {
  const config = await parseConfig(
    `${CHANNELS}\nagents: [{ id: a, heartbeat: { to: team } }, { id: b, heartbeat: { to: more, every: 1h } }, { id: c }]`,
    "f",
  );
  expect(agentHeartbeats(config, undefined)).toMatchObject([
    { action: { name: "heartbeat:a" }, when: { every: 900_000 }, channels: ["team"] },
    { action: { name: "heartbeat:b" }, when: { every: 3_600_000 }, channels: ["more"] },
  ]);
  expect(sameHeartbeats(config, { agents: [...config.agents, { id: "d" }] })).toBe(true);
  expect(sameHeartbeats(config, { agents: config.agents.slice(1) })).toBe(false);
});

it.each([
  ["{ to: tem }", "agents[0].heartbeat.to: expected one of team, more"],
  ["{ every: 5m }", "agents[0].heartbeat.to: expected the name of a channel"],
  ["{ to: team, every: 0s }", "agents[0].heartbeat.every: expected a duration"],
  ["{ too: team }", 'agents[0].heartbeat.too: unknown key; did you mean "to"?'],
])("is refused clearly: %s", async (heartbeat, said) => {
  await expect(parseConfig(`${CHANNELS}\nagents: [{ id: a, heartbeat: ${heartbeat} }]`, "f")).rejects.toThrow(
    said,
  );
});
