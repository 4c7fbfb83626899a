import { expect, it } from "vitest";
import { MINUTE } from "../duration.ts";
import { NOON } from "../liveness/case.fixture.ts";
import type { Step } from "./ladder.ts";
import { recoveryOf } from "./recovery.fixture.ts";
import { sayDone, sayNext, withDone } from "./words.ts";

it("what was done is said by kind, without what was dropped", () => {
  const earlier = [
    recoveryOf("nudge", NOON),
    recoveryOf("restart", NOON + MINUTE),
    recoveryOf("restart", NOON + 2 * MINUTE, { state: "dropped" }),
    recoveryOf("restart", NOON + 2 * MINUTE, { state: "failed", mayBeDone: true }),
    recoveryOf("restart", NOON + 3 * MINUTE, { state: "failed", why: "no server" }),
    recoveryOf("restart", NOON + 4 * MINUTE, { state: "failed", why: "no pane" }),
  ];
  expect(sayDone(earlier, NOON + 5 * MINUTE)).toBe(
    "nudged once in 5 min, restarted 2 times in 4 min, 2 tries to restart it failed in 2 min (no pane)",
  );
  expect(sayDone([], NOON)).toBe("");
});

it("is added to the sentence once", () => {
  const once = withDone("its process ended", "restarted 3 times in 10 min", "left down");
  expect(once).toBe("its process ended; recovery: restarted 3 times in 10 min, left down");
  expect(withDone(once, "", "escalated")).toBe("its process ended; recovery: escalated");
});

it("what comes next is a step, or a reason with the moment at which it may be over", () => {
  const restart = { do: "restart" } as Step;
  expect(sayNext({ take: restart, index: 0, aim: { state: "dead", reason: "exited" } }, [restart])).toEqual({
    ...{ step: "restart", why: "it is due now", at: undefined },
  });
  expect(sayNext({ take: undefined, why: "common-cause", index: 0, at: NOON }, [restart])).toEqual({
    step: "restart",
    why: "many may have fallen silent at once, for a cause that no restart mends",
    at: NOON,
  });
  expect(sayNext({ take: undefined, why: "keeps-failing", problem: "no pane" }, [])).toMatchObject({
    why: "its last tries failed, and it is not tried again: no pane",
  });
  const unproven = {
    take: undefined,
    why: "unproven",
    problem: "without them it is alive",
    at: NOON,
  } as const;
  expect(sayNext(unproven, [restart])).toEqual({
    step: undefined,
    why: expect.stringMatching(
      /^its trouble is known from beats without a token.*: without them it is alive$/,
    ),
    at: undefined,
  });
  expect(sayNext({ take: undefined, why: "no-ladder" }, [])).toEqual({
    ...{ step: undefined, why: "the config names no steps for it", at: undefined },
  });
});
