import { expect, it } from "vitest";
import type { NextStep } from "../core/recovery/words.ts";
import { agentOperations } from "./agents.ts";
import type { LocalParts } from "./parts.ts";

/** A watcher with one agent, of another host or its own; `asked` is what it was asked to do. */
function watcherWith(host: string | undefined, next?: NextStep) {
  const asked: unknown[] = [];
  const place = (id: string) => (id === "bot@web1" ? { agent: { host } } : undefined);
  const ask = async (...[, name, target, , , detail]: unknown[]) => {
    asked.push([name, target, detail]);
    return { end: "done", says: "the host did it" };
  };
  const parts = {
    mustBeOnRoll: () => {},
    roll: async () => ({ place }),
    hub: () => ({ hub: { ask, commands: { watch: () => {} } } }),
    nextStep: () => next,
    takeStep: async (agent: string, step: string) => {
      asked.push([step, agent]);
      return { outcome: "done", note: "done here" };
    },
  } as unknown as LocalParts;
  return { operations: agentOperations(parts), asked };
}

it.each([
  ["next-step", {}],
  ["nudge", { step: "nudge" }],
  ["restart", { step: "restart" }],
] as const)(
  "a hub that is asked for a %s of another host's agent asks that host for it",
  async (step, detail) => {
    const { operations, asked } = watcherWith("web1");
    expect(await operations.takeStep("bot@web1", step)).toBe("the host did it");
    expect(asked).toEqual([["step", "bot", detail]]);
  },
);

it("the next step of an agent of this host is taken here, whichever it is", async () => {
  const { operations, asked } = watcherWith(undefined, { step: "nudge", why: "due now", at: undefined });
  expect(await operations.takeStep("bot@web1", "next-step")).toBe("done here");
  expect(asked).toEqual([["nudge", "bot@web1"]]);
});

it("an agent without a next step is left alone, and the reason is said", async () => {
  const { operations, asked } = watcherWith(undefined);
  await expect(operations.takeStep("bot@web1", "next-step")).rejects.toThrow(/no step .*it is well/);
  expect(asked).toEqual([]);
});
