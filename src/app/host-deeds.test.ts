import { expect, it } from "vitest";
import type { NextStep } from "../core/recovery/words.ts";
import type { Watcher } from "../watch/watcher.ts";
import { hostDeeds } from "./host-deeds.ts";

/** A host with an agent for which this step is next. */
function hostWith(next: NextStep | undefined) {
  const taken: string[] = [];
  const recovering = {
    recoverers: { nextStep: () => next },
    takeStep: async (agent: string, step: string) => {
      taken.push(`${step} ${agent}`);
      return { outcome: "done", note: `took ${step}` };
    },
  };
  const parts = { recovering } as unknown as Parameters<typeof hostDeeds>[1];
  return { deeds: hostDeeds({} as Watcher, parts), taken };
}

const due = (step: NextStep["step"]): NextStep => ({ step, why: "due now", at: undefined });

it.each([
  ["the next step, a nudge, if the hub names none", due("nudge"), undefined, "took nudge"],
  ["the next step, a restart, if the hub names none", due("restart"), undefined, "took restart"],
  ["a nudge that is next", due("nudge"), "nudge", "took nudge"],
])("a host takes %s", async (_, next, step, says) => {
  const { deeds, taken } = hostWith(next);
  expect(await deeds.step("bot", "ada", step === undefined ? {} : { step: "nudge" })).toEqual({ says });
  expect(taken).toHaveLength(1);
});

it.each([
  ["a restart while a nudge is next", due("nudge"), 'the next step of "bot" is nudge, not restart'],
  ["what people do not do by hand", due("release"), 'the next step of "bot" is release, which is not'],
  ["a step while there is none", { ...due(undefined), why: "it is at a limit" }, "it is at a limit"],
  ["a step for an agent that is well", undefined, "it is well"],
])("a host refuses %s", async (_, next, refused) => {
  const { deeds, taken } = hostWith(next);
  expect(await deeds.step("bot", "ada", { step: "restart" })).toEqual({
    refused: expect.stringContaining(refused),
  });
  expect(taken).toEqual([]);
});
