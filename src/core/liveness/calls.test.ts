import { describe, expect, it } from "vitest";
import {
  allowedCalls,
  callOf,
  NO_CALLS,
  repeatsOf,
  somethingNew,
  type ToolCalls,
  withCall,
} from "./calls.ts";

const called = (calls: ToolCalls, ...commands: readonly string[]) =>
  commands.reduce(
    (known, command, index) => withCall(known, callOf("Bash", { command }), known.newAt + index + 1),
    calls,
  );
const times = (count: number, ...commands: string[]) =>
  Array.from({ length: count }, (_, n) => commands[n % commands.length] ?? "");

describe("calls that repeat earlier ones", () => {
  it.each([
    { name: "one call, again and again", commands: times(40, "ls"), by: 31 },
    { name: "three calls in turn", commands: times(40, "ls", "cat a", "npm test"), by: 33 },
    { name: "after a hundred different ones", commands: [...named(100), ...times(40, "c3", "c90")], by: 130 },
  ])("$name: found by call $by, which is no later than the 40th of the loop", ({ commands, by }) => {
    expect(called(NO_CALLS, ...commands.slice(0, by - 1)).loopsSince).toBeUndefined();
    expect(called(NO_CALLS, ...commands.slice(0, by)).loopsSince).toBeDefined();
    expect(repeatsOf(called(NO_CALLS, ...commands), "hook", 9).quotes).toMatch(/^Bash: .* \(\d+ times\)/);
  });

  it.each([
    { name: "a new input every thirtieth call", commands: named(5).flatMap((c) => [c, ...times(29, "ls")]) },
    { name: "nothing but new ones", commands: named(500) },
  ])("$name is none", ({ commands }) => {
    expect(called(NO_CALLS, ...commands).loopsSince).toBeUndefined();
  });

  it("what an agent did before and went on from is no loop the next time, up to twice as long", () => {
    const used = called(NO_CALLS, "ls", ...times(40, "ls"), "something new");
    expect(used).toMatchObject({ repeats: 0, longest: 40 });
    expect(allowedCalls(used)).toBe(80);
    expect(called(used, ...times(79, "ls")).loopsSince).toBeUndefined();
    expect(called(used, ...times(80, "ls")).loopsSince).toBeDefined();
  });

  it("a person's words end it", () => {
    const loop = called(NO_CALLS, ...times(40, "ls"));
    expect(somethingNew(loop, 99)).toMatchObject({ repeats: 0, newAt: 99 });
    expect(repeatsOf(somethingNew(loop, 99), "hook", 100)).toEqual({
      ...{ kind: "repeats", signal: "hook", at: 99, seenAt: 100, calls: 0 },
    });
  });

  it("a call that is told twice counts once, and an input that is used again is not forgotten", () => {
    const call = callOf("Bash", { command: "ls" }, "toolu_1");
    const once = withCall(NO_CALLS, call, 1);
    expect(withCall(once, call, 2)).toBe(once);
    const many = named(500).reduce((known, command) => called(known, command, "ls"), NO_CALLS);
    expect(called(many, "ls").repeats).toBe(2);
    expect(many.known.length).toBeLessThanOrEqual(400);
  });

  it("quotes hold no secrets and are short", () => {
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    expect(callOf("Bash", { command: `curl -H 'Authorization: Bearer ${secret}' x` }).what).not.toContain(
      secret,
    );
    expect(callOf("Write", { content: "x".repeat(5000) }).what).toHaveLength(80);
    expect(callOf("Bash", { command: "a" }).key).not.toBe(callOf("Bash", { command: "b" }).key);
    expect(callOf("Read", undefined).what).toBe("Read");
  });
});

function named(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `c${n}`);
}
