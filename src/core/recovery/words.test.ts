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
    "nudged once in 5 min, restarted 2 times in 4 min, 2 restarts failed in 2 min (no pane)",
  );
  expect(sayDone([], NOON)).toBe("");
});

it("is added to the sentence once", () => {
  const once = withDone("its process ended", "restarted 3 times in 10 min", "gave up");
  expect(once).toBe("its process ended; recovery: restarted 3 times in 10 min, gave up");
  expect(withDone(once, "", "escalated")).toBe("its process ended; recovery: escalated");
});

it("what comes next is a step, or a reason with the moment at which it may be over", () => {
  const restart = { do: "restart" } as Step;
  expect(sayNext({ take: restart, index: 0, aim: { state: "dead", reason: "exited" } }, [restart])).toEqual({
    ...{ step: "restart", why: "due now", at: undefined },
  });
  expect(sayNext({ take: undefined, why: "common-cause", index: 0, at: NOON }, [restart])).toEqual({
    step: "restart",
    why: "many agents may have fallen silent at once; a restart does not fix a common cause",
    at: NOON,
  });
  const failed = {
    take: undefined,
    why: "backing-off",
    problem: "the last 2 attempts failed (no pane)",
  } as const;
  expect(sayNext({ ...failed, index: 0, at: NOON }, [restart])).toMatchObject({
    why: "the last 2 attempts failed (no pane), and Rollcall waits before it tries again",
  });
  expect(sayNext({ take: undefined, why: "keeps-failing", problem: "no pane" }, [])).toMatchObject({
    why: "the last attempts failed, so Rollcall has stopped trying: no pane",
  });
  const unproven = {
    take: undefined,
    why: "unproven",
    problem: "without those it is alive",
    at: NOON,
  } as const;
  expect(sayNext(unproven, [restart])).toEqual({
    step: undefined,
    why: expect.stringMatching(
      /^only beats without a token report this trouble.*: without those it is alive$/,
    ),
    at: undefined,
  });
  expect(sayNext({ take: undefined, why: "no-ladder" }, [])).toEqual({
    ...{ step: undefined, why: "the config has no recovery steps for it", at: undefined },
  });
});
