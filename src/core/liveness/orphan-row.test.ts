import { describe, expect, it } from "vitest";
import {
  active,
  blind,
  broken,
  heard,
  type Line,
  m,
  madeUp,
  present,
  reads,
  tried,
  unwatched,
  work,
} from "./case.fixture.ts";
import { judge } from "./judge.ts";
import type { Degraded, WorkMark } from "./observation.ts";

const absent = (minutes: number): Degraded => ({ ...broken(minutes, "tmux"), absent: true });
/** Work as its record tells it: that it is under way, and that it was last written down then. */
const recorded = (minutes: number, seen: number, updated?: number) => {
  const mark: WorkMark = { ...work(minutes, true), signal: "work" };
  return [
    updated === undefined ? mark : { ...mark, updatedAt: m(updated) },
    active(updated ?? minutes, seen, { signal: "work" }),
  ];
};
const seen = { unpromised: true } as const;

describe("row 3: work whose session never was there is an orphan", () => {
  it.each<Line>([
    {
      name: "half a minute after it was recorded, and neither alive nor stalled",
      ...{ now: 2, facts: [absent(1), ...recorded(1, 1)], ...seen },
      ...{ is: ["dead", "orphan"], at: 1.5 },
    },
    {
      name: "also long after, with a session that was missing from the first",
      ...{ now: 300, facts: [absent(0), ...recorded(1, 299)], ...seen },
      ...{ is: ["dead", "orphan"], at: 1.5 },
    },
    {
      name: "also to a watcher that was away meanwhile",
      ...{ now: 60, facts: [absent(60), ...recorded(1, 60)], ...seen },
      ...{ more: unwatched(blind(2, 60)), is: ["dead", "orphan"] },
    },
    {
      name: "but a session may be started a moment after its work was recorded",
      ...{ now: 1.4, facts: [absent(1), ...recorded(1, 1.4)], ...seen },
      ...{ is: ["unknown", "not-watched"] },
    },
    {
      name: "… which counts in watched time",
      ...{ now: 60.1, facts: [absent(60), ...recorded(2, 60)], ...seen },
      ...{ more: unwatched(blind(2, 60)), is: ["unknown", "not-watched"] },
    },
    {
      name: "under a rule, if it was never heard",
      ...{ now: 2, facts: [absent(1), ...recorded(1, 1)], is: ["dead", "orphan"] },
    },
    {
      name: "under a rule, if it has been silent beyond it",
      ...{ now: 60, facts: [heard(0), absent(1), ...recorded(55, 55)], is: ["dead", "orphan"] },
    },
    {
      name: "not while its promised beats come",
      ...{ now: 12, facts: [heard(0), absent(1), ...recorded(10, 12)], is: ["alive", "working"] },
    },
    {
      name: "not where it has beaten since",
      ...{ now: 12, facts: [heard(11), absent(1), ...recorded(10, 12)], ...seen },
      ...{ is: ["alive", "working"] },
    },
    {
      name: "not while its log grows",
      ...{ now: 12, facts: [active(9, 9), absent(1), ...recorded(10, 12)], ...seen },
      ...{ is: ["alive", "working"] },
    },
    {
      name: "not while the work is updated",
      ...{ now: 30, facts: [absent(1), ...recorded(10, 20, 20)], ...seen, is: ["alive", "working"] },
    },
    {
      name: "not where another signal sees it",
      ...{ now: 12, facts: [present(1), absent(1), ...recorded(10, 12)], ...seen },
      ...{ is: ["alive", "working"] },
    },
    {
      name: "not where its transcript asks a person",
      ...{
        now: 12,
        facts: [reads("waiting", 1, 9, 1, { signal: "transcript" }), absent(1), ...recorded(2, 12)],
      },
      ...{ ...seen, is: ["waiting", "question"] },
    },
    {
      name: "not where the session cannot be looked for",
      ...{ now: 12, facts: [broken(1, "tmux"), ...recorded(10, 12)], ...seen, is: ["alive", "working"] },
    },
    {
      name: "not once the work is done",
      ...{
        now: 12,
        facts: [absent(1), ...recorded(10, 10), { ...work(11, false), signal: "work" }],
        ...seen,
      },
      ...{ is: ["unknown", "not-watched"] },
    },
    {
      name: "not without any work",
      ...{ now: 12, facts: [absent(1)], ...seen, is: ["unknown", "not-watched"] },
    },
  ])("$name", (line) => {
    const { found, expected } = tried(line);
    expect(found).toBe(expected);
  });

  it("is asked about again when the half minute is over, and says what is missing", () => {
    const { rule: _, ...free } = madeUp(1.25, { observations: [absent(1), ...recorded(1, 1)] });
    const verdict = judge(free);
    expect(verdict.next).toBe(m(1.5));
    expect(judge({ ...free, now: m(3) }).why).toBe("work in progress for 2 min, but no such pane");
  });
});
