import { describe, expect, it } from "vitest";
import { type Agent, DEFAULT_RULE, isAgentId, isPaused, sameDeclaration } from "./agent.ts";

describe("an agent's id", () => {
  it.each(["allegro", "a", "9", "Rollcall@host", "night_ly-2", "x".repeat(128)])("can be %j", (id) => {
    expect(isAgentId(id)).toBe(true);
  });

  it.each([
    ["", "it is empty"],
    ["x".repeat(129), "it is too long"],
    ["_a", "it begins with a mark"],
    ["-rf", "it looks like an option"],
    ["@host", "it begins with a mark"],
    ["a.json", "a dot makes it another file"],
    ["..", "it is another folder"],
    ["a/b", "it is a path"],
    ["a\\b", "it is a path elsewhere"],
    ["a b", "it has a space"],
    ["a\n", "it has a line end"],
    ["a\u0000", "it has a control character"],
    ["größe", "not every file system spells it alike"],
  ])("cannot be %j: %s", (id) => {
    expect(isAgentId(id)).toBe(false);
  });
});

describe("isPaused", () => {
  const agent: Agent = { id: "a", rule: DEFAULT_RULE, origin: "added", addedAt: 0 };

  it.each<[Partial<Agent>, boolean, string]>([
    [{}, false, "never paused"],
    [{ pausedAt: 5 }, true, "paused and not resumed"],
    [{ pausedAt: 5, resumedAt: 6 }, false, "resumed"],
    [{ pausedAt: 7, resumedAt: 6 }, true, "paused again"],
    [{ resumedAt: 6 }, false, "resumed only"],
  ])("for %j is %s: %s", (times, paused) => {
    expect(isPaused({ ...agent, ...times })).toBe(paused);
  });
});

describe("sameDeclaration", () => {
  const agent: Agent = { id: "allegro", origin: "config", addedAt: 1, signals: { log: { path: ["a"] } } };
  it.each([
    ["the same again", { ...agent, signals: { log: { path: ["a"] } } }, true],
    ["a field that is undefined", Object.assign({ group: undefined }, agent), true],
    ["another field", { ...agent, group: "band" }, false],
    ["a field less", { id: "allegro", origin: "config", addedAt: 1 }, false],
    ["another setting of a signal", { ...agent, signals: { log: { path: ["b"] } } }, false],
    ["a longer list", { ...agent, signals: { log: { path: ["a", "b"] } } }, false],
  ] as const)("%s", (_, other, same) => {
    expect(sameDeclaration(agent, other as Agent)).toBe(same);
    expect(sameDeclaration(other as Agent, agent)).toBe(same);
  });
});
