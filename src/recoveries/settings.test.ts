import { describe, expect, it } from "vitest";
import { MINUTE, SECOND } from "../core/duration.ts";
import { ladderSettings } from "./settings.ts";

describe("a ladder", () => {
  it("has good defaults", () => {
    expect(ladderSettings.parse([{ do: "nudge", text: "continue" }, { do: "escalate" }])).toEqual([
      {
        do: "nudge",
        text: "continue",
        when: { states: ["stalled", "limited"] },
        budget: { times: 3, within: 10 * MINUTE },
        backoff: { first: 10 * SECOND, longest: 5 * MINUTE },
      },
      expect.objectContaining({ do: "escalate", to: [], when: { states: ["dead", "stalled", "failing"] } }),
    ]);
  });

  it.each([
    [{ command: ["a", "b"] }, { by: "command", command: ["a", "b"] }],
    [
      { command: "a | b", cwd: "~/x" },
      { by: "command", command: "a | b", cwd: "~/x" },
    ],
    [
      { run: true, command: ["a"] },
      { by: "run", command: ["a"] },
    ],
    [
      { command: ["a"], env: { A: "b" }, passEnv: ["C"] },
      { by: "command", command: ["a"], env: { A: "b" }, passEnv: ["C"] },
    ],
    [
      { resume: true, command: ["claude"], cwd: "~/x" },
      { by: "resume", command: ["claude"], cwd: "~/x" },
    ],
    [{ unit: "bot@1.service" }, { by: "unit", unit: "bot@1.service", user: false }],
    [{ respawn: true }, { by: "respawn" }],
  ])("restarts with %j", (written, means) => {
    expect(ladderSettings.parse([{ do: "restart", with: written, kill: true }])).toMatchObject([
      { with: means, kill: true, when: { states: ["dead"] } },
    ]);
  });

  it("stops agents that are over their budget, or those that the step names", () => {
    const looping = { states: ["stalled"], reasons: ["looping"] };
    expect(
      ladderSettings.parse([
        { do: "interrupt" },
        { do: "pause", when: { states: ["stalled"] } },
        { do: "end", when: looping },
      ]),
    ).toMatchObject([
      { do: "interrupt", when: { states: ["failing"], reasons: ["over-budget"] } },
      { do: "pause", when: { states: ["stalled"] } },
      { do: "end", when: looping },
    ]);
  });

  it("releases by command or webhook, on condition", () => {
    const when = { states: ["dead"], reasons: ["orphan"] };
    expect(
      ladderSettings.parse([
        { do: "release", with: { webhook: "https://example.org/x" }, when },
        { do: "release", with: { command: ["a"] } },
      ]),
    ).toMatchObject([
      { when, with: { by: "webhook", url: "https://example.org/x" } },
      { with: { by: "command", command: ["a"] } },
    ]);
  });

  it.each<[string, unknown, string, string]>([
    [
      "a step that is none",
      { do: "reboot" },
      "0.do",
      "nudge, restart, release, escalate, interrupt, pause or end",
    ],
    ["a nudge without a text", { do: "nudge" }, "0.text", "one line"],
    ["a nudge of two lines", { do: "nudge", text: "a\nb" }, "0.text", "one line"],
    ["a nudge with an escape code", { do: "nudge", text: "a\u001b[2J" }, "0.text", "one line"],
    ["a key of another step", { do: "nudge", text: "a", kill: true }, "0.kill", "no kill in a nudge step"],
    [
      "two ways at once",
      { do: "restart", with: { resume: true, run: true, command: ["a"] } },
      "0.with",
      "one of",
    ],
    ["resume without a command", { do: "restart", with: { resume: true } }, "0.with", "one of command"],
    ["a restart without a way", { do: "restart" }, "0.with", "one of command"],
    [
      "an environment without a command",
      { do: "restart", with: { respawn: true, passEnv: ["A"] } },
      "0.with",
      "env and passEnv only together with a command",
    ],
    [
      "a restart with two ways",
      { do: "restart", with: { unit: "a", respawn: true } },
      "0.with",
      "one of command",
    ],
    [
      "a run without a command",
      { do: "restart", with: { run: true, respawn: true } },
      "0.with",
      "one of command",
    ],
    ["a restart by webhook", { do: "restart", with: { webhook: "https://a.b" } }, "0.with", "one of command"],
    ["an empty command", { do: "restart", with: { command: [] } }, "0.with.command", "a program"],
    [
      "a unit that is an option",
      { do: "restart", with: { unit: "--help" } },
      "0.with.unit",
      "a systemd unit",
    ],
    [
      "a release by unit",
      { do: "release", with: { unit: "a" } },
      "0.with",
      "exactly one of command and webhook",
    ],
    [
      "a webhook that is a file",
      { do: "release", with: { webhook: "file:///x" } },
      "0.with.webhook",
      "an address",
    ],
    [
      "a state that needs nothing",
      { do: "escalate", when: { states: ["alive"] } },
      "0.when.states.0",
      "a state",
    ],
    ["a reason that is none", { do: "escalate", when: { reasons: ["x"] } }, "0.when.reasons.0", "a reason"],
    ["a budget of nothing", { do: "escalate", budget: { times: 0 } }, "0.budget.times", "a whole number"],
    ["a wait that is none", { do: "escalate", backoff: { first: "soon" } }, "0.backoff.first", "a duration"],
  ])("refuses %s, and says where", (_name, step, path, expected) => {
    const [issue] = ladderSettings.safeParse([step]).error?.issues ?? [];
    expect([issue?.path.join("."), issue?.message]).toEqual([path, expect.stringContaining(expected)]);
  });
});
