import { describe, expect, it } from "vitest";
import { active, blind, ended, gone, heard, madeUp, reads, runs, unwatched, work } from "./case.fixture.ts";
import type { Case } from "./case.ts";
import { judge } from "./judge.ts";
import type { Observation } from "./observation.ts";

interface Kept {
  readonly name: string;
  readonly facts: readonly Observation[];
  /** Two minutes at which the same state stands. */
  readonly from: number;
  readonly to: number;
  readonly says: string;
  readonly more?: Partial<Case>;
}

const NOON = "2025-01-15T12:00:00Z";
const RULE = "expected every 15 min, 5 min of grace";

describe("a sentence that is kept is the same whenever it is read", () => {
  it.each<Kept>([
    { name: "fresh", facts: [heard(0)], from: 1, to: 14, says: `beat at ${NOON}; ${RULE}` },
    { name: "late", facts: [heard(0)], from: 15, to: 19, says: `no beat since ${NOON}; ${RULE}` },
    { name: "dead", facts: [heard(0)], from: 20, to: 43, says: `no beat since ${NOON}; ${RULE}` },
    {
      name: "a process that ended",
      facts: [gone(0, 1, { exit: "exit 1" })],
      from: 1,
      to: 24,
      says: `its process ended unexpectedly (exit 1); last seen at ${NOON}`,
    },
    { name: "resting", facts: [ended(0)], from: 1, to: 14, says: `cycle 7 ended cleanly at ${NOON}` },
    {
      name: "never heard",
      facts: [],
      from: 20,
      to: 90,
      says: `no beat since it was registered at ${NOON}; ${RULE}`,
    },
    {
      name: "a run that hangs",
      facts: [heard(14), runs(0, 0)],
      from: 20,
      to: 30,
      says: `a run began at ${NOON} and has not ended; ${RULE}`,
    },
    {
      name: "not watched",
      facts: [heard(-30)],
      from: 1,
      to: 19,
      says: `overdue, but Rollcall was not watching until ${NOON}; it has until 2025-01-15T12:20:00Z to beat (${RULE})`,
      more: unwatched(blind(-20, 0)),
    },
    {
      name: "at work",
      facts: [active(0, 1)],
      from: 1,
      to: 40,
      says: `made progress at ${NOON}`,
      more: { rule: undefined },
    },
    {
      name: "stalled",
      facts: [reads("spinning", 0, 90)],
      from: 90,
      to: 120,
      says: `the screen moves, but no progress since ${NOON}; limit `,
    },
    {
      name: "idle with work",
      facts: [reads("idle", 0, 30), work(-5, true)],
      from: 30,
      to: 50,
      says: `idle since ${NOON}, but work is in progress`,
    },
  ])("$name", ({ facts, from, to, says, more }) => {
    const [early, late] = [from, to].map((minute) =>
      judge(madeUp(minute, { observations: facts, lasting: true, ...more })),
    );
    expect(early?.why.startsWith(says) ? says : early?.why).toBe(says);
    expect(late?.why).toBe(early?.why);
    expect(late?.state).toBe(early?.state);
  });
});
