import { describe, expect, it } from "vitest";
import { NOON } from "./case.fixture.ts";
import { judge } from "./judge.ts";
import { type Observation, observationsOf } from "./observation.ts";
import { FULL_TRUST } from "./trust.ts";
import { withoutClaims } from "./unproven.ts";

const beat = { id: "b", agent: "allegro", source: "agent", sentAt: NOON, receivedAt: NOON } as const;
const ok = observationsOf({ ...beat, status: "ok" });
const error = { ...beat, status: "error", message: "oh", unproven: true } as const;
const crashed = { ...error, cycle: 7, cycleEvent: "ended", outcome: "crashed" } as const;
const present: Observation = { kind: "present", signal: "process", at: NOON };

const judged = (observations: readonly Observation[]) =>
  judge({ observations, addedAt: NOON, now: NOON + 1000, trust: FULL_TRUST });

describe("what unproven beats claim", () => {
  it("is left out, and that they were heard is not", () => {
    expect(withoutClaims(observationsOf(error))).toEqual([
      {
        kind: "beat",
        signal: "beat",
        at: NOON,
        firstAt: NOON,
        source: "wrapper",
        status: "ok",
        unproven: true,
      },
    ]);
    expect(withoutClaims([...observationsOf(crashed), present])).toMatchObject([
      { kind: "beat", status: "ok" },
      { kind: "present" },
    ]);
  });

  it("is nothing where they only say that all is well, or where they are proven", () => {
    for (const facts of [ok, observationsOf({ ...beat, status: "ok", unproven: true })])
      expect(withoutClaims(facts)).toBe(facts);
    const { unproven: _, ...proven } = crashed;
    const facts = observationsOf(proven);
    expect(withoutClaims(facts)).toBe(facts);
  });

  it("is named as such in the sentence of a verdict", () => {
    expect(judged(observationsOf(error))).toMatchObject({
      state: "failing",
      why: "its last beat (sent without a token) reports an error: oh",
    });
    expect(judged([...observationsOf(crashed), present])).toMatchObject({
      state: "dead",
      why: expect.stringContaining("(oh; reported without a token)"),
    });
    const ended = { ...crashed, source: "wrapper", outcome: "error" } as const;
    expect(judged(observationsOf(ended))).toMatchObject({
      state: "failing",
      why: "cycle 7 ended with an error (reported without a token)",
    });
  });
});
