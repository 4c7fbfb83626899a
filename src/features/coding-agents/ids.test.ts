import { expect, test } from "vitest";
import { isAgentId } from "../../core/agent.ts";
import { idsFor } from "./ids.ts";

const of = (names: readonly string[], taken: readonly string[] = []) =>
  idsFor(
    names.map((name, i) => ({ name, identity: `${name}${i}` })),
    new Set(taken),
  );

test.each([
  ["work", "work"],
  ["my.app v2", "my-app-v2"],
  ["../..//etc", "etc"],
  ["0", "tmux-0"],
  ["3-0-1", "tmux-3-0-1"],
  ["größe", "gr-e"],
  ["日本", "agent"],
  ["-x-", "x"],
])("%s becomes %s", (name, id) => {
  expect(of([name])).toEqual([id]);
});

test("a name that is taken, by one on the roll or by each other, gets a piece of what it is", () => {
  const [a, b, c] = of(["work", "my app", "my.app"], ["work"]);
  expect(a).toMatch(/^work-[0-9a-f]{6}$/);
  expect(b).toMatch(/^my-app-[0-9a-f]{6}$/);
  expect(c).toMatch(/^my-app-[0-9a-f]{6}$/);
  expect(new Set([a, b, c]).size).toBe(3);
  expect(of(["work", "my app", "my.app"], ["work"])).toEqual([a, b, c]);
});

test("every name, however long or strange, becomes a valid id", () => {
  const names = ["x".repeat(500), "\u001b[31mred", "a|b", "__", "@", `${"-".repeat(200)}a`, "x".repeat(500)];
  for (const id of of(names)) expect(isAgentId(id)).toBe(true);
});
