import { expect, it } from "vitest";
import { readAgent } from "./agent-input.ts";
import { defaultConfig } from "./load.ts";

const standard = defaultConfig();
const config = { ...standard, defaults: { ...standard.defaults, every: 300_000 } };

it("an agent that is added has the defaults of the config, and is known as added", () => {
  expect(readAgent({ id: "bot", group: "build" }, config, 0)).toMatchObject({
    agent: { id: "bot", group: "build", origin: "added", rule: { every: 300_000 } },
  });
});

it.each([
  ["is misspelt", { id: "bot", evry: "1m" }, 'evry: unknown key; did you mean "every"?'],
  ["is no agent", 7, "expected"],
  [
    "brings commands",
    { id: "bot", recover: [{ do: "restart", with: { command: ["sh"] } }] },
    "config file only",
  ],
])("one that %s is refused with what would be right", (_what, value, says) => {
  expect(readAgent(value, config, 0)).toEqual({ problem: expect.stringContaining(says) });
});
