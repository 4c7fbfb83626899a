import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../duration.ts";
import {
  active,
  begun,
  blind,
  ended,
  heard,
  type Line,
  life,
  m,
  present,
  reads,
  tried,
  unwatched,
  work,
  wrapped,
} from "./case.fixture.ts";
import type { Repeats } from "./observation.ts";

function table(lines: readonly Line[]): void {
  it.each(lines)("$name", (line) => {
    const { found, expected } = tried(line);
    expect(found).toBe(expected);
  });
}

const [one, two] = [{ incarnation: life(1) }, { incarnation: life(2) }];

describe("row 4: it waits for a human or a limit", () => {
  table([
    {
      name: "a permission",
      now: 9,
      facts: [reads("waiting", 3, 9, 3, { detail: "permission" })],
      is: ["waiting", "permission"],
      at: 3,
    },
    {
      name: "a question",
      now: 9,
      facts: [reads("waiting", 3, 9, 3, { detail: "question" })],
      is: ["waiting", "question"],
    },
    {
      name: "what it does not say is a question",
      now: 9,
      facts: [reads("waiting", 3, 9)],
      is: ["waiting", "question"],
    },
    { name: "a login", now: 9, facts: [reads("login", 3, 9)], is: ["waiting", "login"] },
    {
      name: "a limit",
      now: 9,
      facts: [reads("limited", 3, 9, 3, { resetAt: m(300) })],
      is: ["limited", "limit"],
      at: 3,
    },
    {
      name: "over a fresh beat of a wrapper",
      now: 9,
      facts: [wrapped(9), reads("waiting", 3, 9)],
      is: ["waiting", "question"],
    },
    {
      name: "over a fresh own beat",
      now: 9,
      facts: [heard(9), reads("limited", 3, 9)],
      is: ["limited", "limit"],
    },
    {
      name: "over an overdue beat",
      now: 90,
      facts: [heard(0), reads("waiting", 3, 90)],
      is: ["waiting", "question"],
    },
    {
      name: "over an error",
      now: 9,
      facts: [heard(2, { status: "error" }), reads("login", 3, 9)],
      is: ["waiting", "login"],
    },
    {
      name: "however long it lasts",
      now: 9999,
      facts: [reads("waiting", 3, 9999)],
      is: ["waiting", "question"],
    },
    {
      name: "the newest look decides",
      now: 9,
      facts: [reads("waiting", 3, 7), reads("working", 8, 9, 9, { signal: "transcript" })],
      is: ["alive", "working"],
    },
  ]);
});

describe("row 6: it makes progress", () => {
  table([
    {
      name: "new content",
      now: 9,
      facts: [reads("working", 1, 9, 8)],
      unpromised: true,
      is: ["alive", "working"],
      at: 8,
    },
    {
      name: "an open tool call has an hour",
      now: 59,
      facts: [reads("working", 1, 59, 0, { context: "tool" })],
      unpromised: true,
      is: ["alive", "working"],
    },
    {
      name: "retries within their limit",
      now: 14,
      facts: [reads("retrying", 1, 14, 0)],
      unpromised: true,
      is: ["alive", "working"],
    },
    {
      name: "a spinner within the limit",
      now: 14,
      facts: [reads("spinning", 1, 14, 0)],
      unpromised: true,
      is: ["alive", "working"],
    },
    { name: "a log that grew", now: 44, facts: [active(0, 44)], unpromised: true, is: ["alive", "working"] },
    {
      name: "works, but does not beat",
      now: 16,
      facts: [heard(0), active(14, 16)],
      is: ["late", "works-without-beats"],
      at: 15,
    },
    {
      name: "… and is never dead of it",
      now: 58,
      facts: [heard(0), active(14, 58)],
      is: ["late", "works-without-beats"],
    },
    {
      name: "works, and what was not watched is excused",
      now: 61,
      facts: [heard(0), active(60.5, 61)],
      more: unwatched(blind(10, 60)),
      is: ["alive", "working"],
    },
    {
      name: "its last word was the beat itself: merely late",
      now: 21,
      facts: [heard(0), active(-5, 21)],
      is: ["late", "overdue"],
    },
    { name: "works, with fresh beats", now: 9, facts: [heard(8), active(8, 9)], is: ["alive", "working"] },
    { name: "works, and has never beaten", now: 50, facts: [active(40, 50)], is: ["alive", "working"] },
    {
      name: "what nobody watched does not age",
      now: 100,
      facts: [active(5, 100)],
      unpromised: true,
      more: unwatched(blind(10, 90, "suspend")),
      is: ["alive", "working"],
    },
  ]);
});

describe("row 7: it is there, but makes no progress", () => {
  const loops = (since: number, seen: number, signal: Repeats["signal"] = "hook"): Repeats => ({
    ...{ kind: "repeats", signal, at: m(0), seenAt: m(seen), calls: 38 },
    ...{ loopsSince: m(since), quotes: "Bash: ls (30 times)" },
  });
  const goesOn = (seen: number, signal: Repeats["signal"] = "hook"): Repeats => ({
    ...{ kind: "repeats", signal, at: m(seen), seenAt: m(seen), calls: 0 },
  });
  table([
    {
      name: "its calls repeat earlier ones, whatever is new on its screen",
      now: 9,
      facts: [reads("working", 3, 9, 9), loops(8, 9)],
      is: ["stalled", "looping"],
      at: 8,
    },
    {
      name: "its calls are new again",
      now: 9,
      facts: [reads("working", 3, 9, 9), goesOn(9)],
      is: ["alive", "working"],
    },
    {
      name: "a loop is over when the turn is, and does not hide a question",
      now: 9,
      facts: [reads("waiting", 8, 9), loops(8, 9)],
      is: ["waiting", "question"],
    },
    {
      name: "a loop is over when the screen is idle",
      now: 9,
      facts: [reads("idle", 8, 9), loops(8, 9)],
      is: ["resting", "idle"],
    },
    {
      name: "hooks are believed before a transcript that is read later",
      now: 9,
      facts: [reads("working", 3, 9, 9), goesOn(9, "transcript"), loops(7, 8)],
      is: ["stalled", "looping"],
    },
    {
      name: "hooks of which nothing more comes are not",
      now: 29,
      facts: [reads("working", 3, 29, 29), goesOn(29, "transcript"), loops(7, 8)],
      is: ["alive", "working"],
    },
    {
      name: "it spins beyond the limit",
      now: 15,
      facts: [reads("spinning", 1, 15, 0)],
      is: ["stalled", "spinning"],
      at: 15,
    },
    { name: "it loops", now: 15, facts: [reads("looping", 1, 15, 0)], is: ["stalled", "looping"] },
    { name: "it retries", now: 15, facts: [reads("retrying", 1, 15, 0)], is: ["stalled", "retrying"] },
    { name: "it says nothing new", now: 15, facts: [reads("working", 1, 15, 0)], is: ["stalled", "silent"] },
    {
      name: "a tool that runs for over an hour",
      now: 60,
      facts: [reads("working", 1, 60, 0, { context: "tool" })],
      is: ["stalled", "silent"],
    },
    {
      name: "a log that is silent for 45 minutes where the context is not known",
      now: 45,
      facts: [active(0, 45)],
      unpromised: true,
      is: ["stalled", "silent"],
      at: 45,
    },
    {
      name: "even with fresh beats of a wrapper",
      now: 50,
      facts: [wrapped(49), active(0, 50)],
      is: ["stalled", "silent"],
    },
    {
      name: "but its own beat is progress",
      now: 50,
      facts: [heard(49), active(0, 50)],
      is: ["alive", "working"],
    },
    {
      name: "over an overdue beat: it is there",
      now: 50,
      facts: [heard(0), reads("spinning", 1, 50, 1)],
      is: ["stalled", "spinning"],
    },
    {
      name: "the limit counts only what was watched",
      now: 125,
      facts: [active(0, 125)],
      unpromised: true,
      more: unwatched(blind(10, 90, "suspend")),
      is: ["stalled", "silent"],
      at: 125,
    },
    {
      name: "a learnt limit",
      now: 5,
      facts: [reads("working", 0, 5, 0)],
      more: {
        limits: (context) =>
          context === "model"
            ? { ms: 4 * MINUTE, from: "learnt", gaps: 90 }
            : { ms: HOUR, from: "prior", gaps: 0 },
      },
      is: ["stalled", "silent"],
      at: 4,
    },
  ]);
});

describe("row 8: its turn is over", () => {
  table([
    {
      name: "nothing is under way: rest",
      now: 500,
      facts: [reads("idle", 3, 500)],
      is: ["resting", "idle"],
      at: 3,
    },
    {
      name: "over an overdue beat",
      now: 500,
      facts: [heard(0), reads("idle", 3, 500)],
      is: ["resting", "idle"],
    },
    {
      name: "work is under way, not yet for long",
      now: 12.9,
      facts: [reads("idle", 3, 12.9), work(1, true)],
      is: ["resting", "idle"],
    },
    {
      name: "work is under way for over ten minutes of idleness",
      now: 13,
      facts: [reads("idle", 3, 13), work(1, true)],
      is: ["stalled", "idle-with-work"],
      at: 13,
    },
    {
      name: "work came while it was idle",
      now: 14,
      facts: [reads("idle", 3, 14), work(5, true)],
      is: ["resting", "idle"],
    },
    {
      name: "… and is left for ten minutes",
      now: 15,
      facts: [reads("idle", 3, 15), work(5, true)],
      is: ["stalled", "idle-with-work"],
      at: 15,
    },
    {
      name: "a cycle is under way",
      now: 15,
      facts: [begun(1), heard(1), reads("idle", 3, 15)],
      is: ["stalled", "idle-with-work"],
      at: 13,
    },
    {
      name: "the cycle of an older life is not",
      now: 15,
      facts: [begun(1, one), present(2, two), reads("idle", 3, 15)],
      is: ["resting", "idle"],
    },
    {
      name: "the cycle has ended",
      now: 15,
      facts: [begun(1), ended(2, { ok: false }), heard(3), reads("idle", 3, 15)],
      is: ["resting", "idle"],
    },
    { name: "work is done", now: 90, facts: [reads("idle", 3, 90), work(5, false)], is: ["resting", "idle"] },
    {
      name: "what nobody watched does not count",
      now: 95,
      facts: [reads("idle", 3, 95), work(1, true)],
      more: unwatched(blind(5, 90, "suspend")),
      is: ["resting", "idle"],
    },
  ]);
});
