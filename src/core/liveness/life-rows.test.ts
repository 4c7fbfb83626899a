import { describe, expect, it } from "vitest";
import {
  active,
  begun,
  blind,
  broken,
  ended,
  fronted,
  gone,
  heard,
  type Line,
  life,
  m,
  madeUp,
  present,
  reads,
  tried,
  unwatched,
  work,
  wrapped,
} from "./case.fixture.ts";
import { judge } from "./judge.ts";
import type { Observation, WorkMark } from "./observation.ts";

function table(lines: readonly Line[]): void {
  it.each(lines)("$name", (line) => {
    const { found, expected } = tried(line);
    expect(found).toBe(expected);
  });
}

const [one, two] = [{ incarnation: life(1) }, { incarnation: life(2) }];

describe("row 1: an operator paused it", () => {
  table([
    {
      name: "a pause wins over a death",
      now: 90,
      facts: [gone(1, 2)],
      more: { pausedAt: m(5) },
      is: ["paused", "paused"],
      at: 5,
    },
    {
      name: "a pause wins over a question",
      now: 9,
      facts: [reads("waiting", 1, 8)],
      more: { pausedAt: m(5) },
      is: ["paused", "paused"],
    },
    {
      name: "after a pause it has one whole dead-after",
      now: 90,
      facts: [heard(0)],
      more: unwatched(blind(10, 80, "paused")),
      is: ["unknown", "not-watched"],
      at: 80,
    },
    {
      name: "… and then it is dead",
      now: 100,
      facts: [heard(0)],
      more: unwatched(blind(10, 80, "paused")),
      is: ["dead", "no-beat"],
      at: 100,
    },
    {
      name: "who was dead before the pause is dead after it",
      now: 81,
      facts: [heard(0)],
      more: unwatched(blind(30, 80, "paused")),
      is: ["dead", "no-beat"],
      at: 20,
    },
  ]);
});

describe("row 2: we could not look", () => {
  table([
    {
      name: "overdue after our outage is unknown",
      now: 61,
      facts: [heard(0)],
      more: unwatched(blind(10, 60)),
      is: ["unknown", "not-watched"],
      at: 60,
    },
    {
      name: "… until one whole dead-after of watched time has passed",
      now: 79.99,
      facts: [heard(0)],
      more: unwatched(blind(10, 60)),
      is: ["unknown", "not-watched"],
    },
    {
      name: "… then it is dead",
      now: 80,
      facts: [heard(0)],
      more: unwatched(blind(10, 60)),
      is: ["dead", "no-beat"],
      at: 80,
    },
    {
      name: "who was dead before our outage stays dead",
      now: 61,
      facts: [heard(0)],
      more: unwatched(blind(30, 60)),
      is: ["dead", "no-beat"],
      at: 20,
    },
    {
      name: "a beat after our outage ends the doubt",
      now: 61,
      facts: [heard(60.5)],
      more: unwatched(blind(10, 60)),
      is: ["alive", "beat"],
    },
    {
      name: "a suspended machine is an outage",
      now: 500,
      facts: [heard(0)],
      more: unwatched(blind(10, 490, "suspend")),
      is: ["unknown", "not-watched"],
    },
    {
      name: "a clock set forward is an outage",
      now: 500,
      facts: [heard(0)],
      more: unwatched(blind(10, 490, "step")),
      is: ["unknown", "not-watched"],
    },
    {
      name: "never heard and not watched is still new",
      now: 70,
      facts: [],
      more: unwatched(blind(10, 60)),
      is: ["new", "registered"],
    },
    {
      name: "… and dead after one watched dead-after",
      now: 80,
      facts: [],
      more: unwatched(blind(10, 60)),
      is: ["dead", "never-heard"],
      at: 80,
    },
    {
      name: "never heard, but its work goes on: alive",
      now: 40,
      facts: [work(1, true), active(30, 30, { signal: "work" })],
      is: ["alive", "working"],
      at: 30,
    },
    {
      name: "… stalled if the work does not go on",
      now: 90,
      facts: [work(1, true), active(30, 30, { signal: "work" })],
      is: ["stalled", "silent"],
      at: 75,
    },
    {
      name: "… and new again when it is done: its chance to beat begins with that",
      now: 50,
      facts: [work(40, false), active(30, 30, { signal: "work" })],
      is: ["new", "registered"],
    },
    {
      name: "an agent that beats is judged by its beats, whatever work it recorded",
      now: 40,
      facts: [heard(5), work(1, true), active(30, 30, { signal: "work" })],
      is: ["dead", "no-beat"],
      at: 25,
    },
    {
      name: "what promises no beats is unknown until it is looked at",
      now: 61,
      facts: [active(5, 9)],
      unpromised: true,
      more: unwatched(blind(10, 60)),
      is: ["unknown", "not-watched"],
      at: 60,
    },
    {
      name: "… unless its cycle has ended: then it rests, also after our outage",
      now: 61,
      facts: [present(2), ended(20), wrapped(20)],
      unpromised: true,
      more: unwatched(blind(10, 60)),
      is: ["resting", "ended"],
    },
    {
      name: "… or has ended with an error: then it fails",
      now: 61,
      facts: [present(2), ended(20, { ok: false }), wrapped(20)],
      unpromised: true,
      more: unwatched(blind(10, 60)),
      is: ["failing", "says-error"],
    },
    {
      name: "… but not if it was seen after that end",
      now: 61,
      facts: [ended(5), wrapped(5), present(8)],
      unpromised: true,
      more: unwatched(blind(10, 60)),
      is: ["unknown", "not-watched"],
    },
    {
      name: "… and needs no grace once it was",
      now: 61,
      facts: [active(5, 60.1)],
      unpromised: true,
      more: unwatched(blind(10, 60)),
      is: ["alive", "working"],
    },
    {
      name: "that a look failed is not a look",
      now: 61,
      facts: [present(9), broken(60.5, "log")],
      unpromised: true,
      more: unwatched(blind(10, 60)),
      is: ["unknown", "not-watched"],
    },
  ]);
});

describe("row 3: this incarnation was seen to end", () => {
  table([
    {
      name: "a cycle that ended cleanly is rest",
      now: 6,
      facts: [heard(5), ended(5)],
      is: ["resting", "ended"],
      at: 5,
    },
    {
      name: "… until the next one is due",
      now: 20,
      facts: [heard(5), ended(5)],
      is: ["late", "did-not-wake"],
      at: 20,
    },
    {
      name: "… and its grace has passed",
      now: 25,
      facts: [heard(5), ended(5)],
      is: ["dead", "did-not-wake"],
      at: 25,
    },
    {
      name: "… but not where nobody watched",
      now: 61,
      facts: [heard(5), ended(5)],
      more: unwatched(blind(10, 60)),
      is: ["unknown", "not-watched"],
    },
    {
      name: "a process that ended with status 0 is rest",
      now: 6,
      facts: [heard(4), gone(5, 5.1, { clean: true })],
      is: ["resting", "ended"],
      at: 5,
    },
    {
      name: "a process that went after its cycle had ended is rest, whatever its status",
      now: 6,
      facts: [heard(5), ended(5), gone(5, 5.1)],
      is: ["resting", "ended"],
    },
    {
      name: "a process that went after its work was done is rest",
      now: 6,
      facts: [heard(4), work(4, false), gone(5, 5.1)],
      is: ["resting", "ended"],
    },
    {
      name: "… but not in the middle of a cycle",
      now: 6,
      facts: [begun(1), heard(4), work(4, false), gone(5, 5.1)],
      is: ["dead", "exited"],
    },
    {
      name: "rest of an agent that promises nothing lasts",
      now: 9999,
      facts: [gone(5, 5.1, { clean: true })],
      unpromised: true,
      is: ["resting", "ended"],
    },
    {
      name: "a beat after the end of the cycle is a wake",
      now: 9,
      facts: [heard(8), ended(5)],
      is: ["alive", "beat"],
    },
    {
      name: "a cycle that began after the last one ended is a wake",
      now: 9,
      facts: [heard(8), ended(5), begun(8)],
      is: ["alive", "beat"],
    },
    {
      name: "another process after the end of the cycle is a wake",
      now: 9,
      facts: [heard(5, one), ended(5, one), present(8, two)],
      is: ["alive", "beat"],
    },
    {
      name: "the same process after the end of its cycle is rest",
      now: 9,
      facts: [heard(5, one), ended(5, one), present(8, one)],
      is: ["resting", "ended"],
    },
    {
      name: "a process of which we do not know whose it is does not end the rest",
      now: 9,
      facts: [heard(5), ended(5), present(8, two)],
      is: ["resting", "ended"],
    },
    {
      name: "the next process, gone before it said anything, is a death",
      now: 9,
      facts: [heard(5, one), ended(5, one), gone(8, 8.1, two)],
      is: ["dead", "exited"],
      at: 8,
    },
    {
      name: "a process that went is dead at once, since it was last seen",
      now: 6,
      facts: [heard(4), gone(5, 5.1)],
      is: ["dead", "exited"],
      at: 5,
    },
    {
      name: "… in the middle of its cycle too",
      now: 6,
      facts: [begun(5.05, one), heard(5.05, one), gone(5, 5.1, one)],
      is: ["dead", "exited"],
    },
    {
      name: "another process after it is a newer life",
      now: 9,
      facts: [heard(4, one), gone(5, 5.1, one), present(8, two)],
      is: ["alive", "beat"],
    },
    {
      name: "a beat of another process is a newer life",
      now: 9,
      facts: [heard(8, two), gone(5, 5.1, one)],
      is: ["alive", "beat"],
    },
    {
      name: "a cycle that begins after it is a newer life",
      now: 9,
      facts: [heard(8), begun(8), gone(5, 5.1)],
      is: ["alive", "beat"],
    },
    {
      name: "a unit that is there again is a newer life",
      now: 9,
      facts: [heard(4), gone(5, 5.1, { signal: "systemd" }), present(8, { signal: "systemd" })],
      is: ["alive", "beat"],
    },
    {
      name: "a pane that is still there is not",
      now: 9,
      facts: [heard(4), gone(5, 5.1), present(8, { signal: "tmux" })],
      is: ["dead", "exited"],
    },
    {
      name: "what its pane showed before an end is no trace of the next life",
      now: 9,
      facts: [reads("working", 1, 5), gone(5, 5.1, { signal: "tmux" }), present(8, { signal: "tmux" })],
      unpromised: true,
      is: ["alive", "present"],
      at: 8,
    },
    {
      name: "… and what it shows since is",
      now: 9,
      facts: [reads("working", 8, 8), gone(5, 5.1, { signal: "tmux" }), present(8, { signal: "tmux" })],
      is: ["alive", "working"],
      at: 8,
    },
    {
      name: "the look at which it was last seen is not a newer life",
      now: 9,
      facts: [present(5, one), gone(5, 5.1)],
      is: ["dead", "exited"],
    },
    {
      name: "beats that go on without the process are a death of their own kind",
      now: 9,
      facts: [heard(8), gone(5, 5.1)],
      is: ["dead", "beats-without-process"],
      at: 5,
    },
    {
      name: "… also where they claim to come from it",
      now: 9,
      facts: [heard(8, one), begun(8, one), gone(5, 5.1, one)],
      is: ["dead", "beats-without-process"],
    },
    {
      name: "the beat with which a wrapper tells of the end does not go on",
      now: 9,
      facts: [wrapped(5.2, { status: "error" }), ended(5.2, { ok: false }), gone(5, 5.1)],
      is: ["dead", "exited"],
    },
    {
      name: "a death wins over a question on the screen",
      now: 6,
      facts: [gone(5, 5.1), reads("waiting", 3, 5)],
      is: ["dead", "exited"],
    },
    {
      name: "rest wins over a question on the screen",
      now: 6,
      facts: [heard(5), ended(5), reads("waiting", 3, 5)],
      is: ["resting", "ended"],
    },
    {
      name: "a death wins over an error",
      now: 6,
      facts: [heard(4, { status: "error" }), gone(5, 5.1)],
      is: ["dead", "exited"],
    },
  ]);
});

describe("row 3: a client and its terminal that end together", () => {
  const session = { signal: "hook", clean: true } as const;
  const terminal = { signal: "tmux", lost: true } as const;
  table([
    {
      name: "a client that ends in good order because its terminal is gone is dead, whichever is seen first",
      now: 9,
      facts: [gone(8, 8, session), gone(7.9, 8.1, terminal)],
      unpromised: true,
      is: ["dead", "exited"],
    },
    {
      name: "… also if its own word comes last",
      now: 9,
      facts: [gone(7.9, 8, terminal), gone(8.2, 8.2, session)],
      unpromised: true,
      is: ["dead", "exited"],
    },
    {
      name: "a client that a person ended takes its terminal along: it rests",
      now: 9,
      facts: [gone(8, 8, { ...session, byHand: true }), gone(7.9, 8.1, terminal)],
      unpromised: true,
      is: ["resting", "ended"],
    },
  ]);
});

describe("row 5: it says error itself", () => {
  const error = { status: "error" } as const;
  const claimed: WorkMark = { ...work(2, true), notProven: { at: m(7), says: "its check failed" } };
  table([
    {
      name: "it says that it is done, and its check failed",
      now: 9,
      facts: [heard(8), claimed, reads("working", 8, 9)],
      is: ["failing", "done-not-proven"],
      at: 7,
    },
    {
      name: "a question goes before a check that failed",
      now: 9,
      facts: [claimed, reads("waiting", 8, 9)],
      unpromised: true,
      is: ["waiting", "question"],
    },
    {
      name: "a check that failed does not hide that its process is gone",
      now: 9,
      facts: [claimed, gone(7, 8)],
      unpromised: true,
      is: ["dead", "orphan"],
    },
    {
      name: "a check that failed is over when the work is",
      now: 9,
      facts: [work(8, false), heard(8)],
      is: ["alive", "beat"],
    },
    {
      name: "its last own beat says error",
      now: 9,
      facts: [heard(8, error)],
      is: ["failing", "says-error"],
      at: 8,
    },
    {
      name: "over fresh beats of a wrapper",
      now: 9,
      facts: [heard(5, error), wrapped(8)],
      is: ["failing", "says-error"],
    },
    {
      name: "over new content",
      now: 9,
      facts: [heard(5, error), reads("working", 8, 9)],
      is: ["failing", "says-error"],
    },
    {
      name: "a cycle that ended with an error",
      now: 9,
      facts: [wrapped(8, error), ended(8, { ok: false })],
      is: ["failing", "says-error"],
    },
    {
      name: "late does not end it",
      now: 24,
      facts: [heard(5, error)],
      is: ["failing", "says-error"],
      at: 5,
    },
    {
      name: "silence past the grace is death",
      now: 25,
      facts: [heard(5, error)],
      is: ["dead", "no-beat"],
      at: 25,
    },
    {
      name: "silence past the grace is death after a cycle that ended with an error too",
      now: 30,
      facts: [wrapped(5, error), ended(5, { ok: false })],
      is: ["dead", "no-beat"],
      at: 25,
    },
    {
      name: "no death while a wrapper still beats",
      now: 30,
      facts: [heard(5, error), wrapped(20)],
      is: ["failing", "says-error"],
    },
    {
      name: "no death while it is seen to work",
      now: 30,
      facts: [heard(5, error), reads("working", 29, 29)],
      is: ["failing", "says-error"],
    },
    {
      name: "no death where our own outage hides its chance",
      now: 30,
      facts: [heard(5, error)],
      more: unwatched(blind(8, 28)),
      is: ["failing", "says-error"],
    },
    {
      name: "no death where beats cannot be read",
      now: 30,
      facts: [heard(5, error), broken(20, "beat")],
      is: ["failing", "says-error"],
    },
    {
      name: "no death of silence where no beats are promised",
      now: 900,
      facts: [heard(5, error)],
      unpromised: true,
      is: ["failing", "says-error"],
    },
    {
      name: "a later own beat that says ok ends it",
      now: 9,
      facts: [heard(8), ended(5, { ok: false })],
      is: ["alive", "beat"],
    },
    {
      name: "a new cycle ends it",
      now: 9,
      facts: [wrapped(8), ended(5, { ok: false }), begun(8)],
      is: ["alive", "wrapper-beat"],
    },
    {
      name: "the error of an older life is not held against a newer one",
      now: 9,
      facts: [heard(5, { ...error, ...one }), wrapped(8, two)],
      is: ["alive", "wrapper-beat"],
    },
    {
      name: "the error of a wrapper's beat alone is not its own",
      now: 9,
      facts: [wrapped(8, error)],
      is: ["alive", "wrapper-beat"],
    },
  ]);
});

describe("row 3: an orphan is work that is recorded as under way without its session", () => {
  table([
    {
      name: "a session that ended cleanly while work is open is dead",
      now: 9,
      facts: [work(1, true), gone(5, 6, { clean: true })],
      is: ["dead", "orphan"],
      at: 5,
    },
    {
      name: "work that was recorded where no session ever was is dead from its beginning",
      now: 9,
      facts: [gone(2, 8, { clean: true }), work(4, true)],
      is: ["dead", "orphan"],
      at: 4,
    },
    {
      name: "a session that ended after its work was done rests",
      now: 9,
      facts: [work(1, false), gone(5, 6)],
      is: ["resting", "ended"],
      at: 5,
    },
    {
      name: "… also after its last words, or idle",
      now: 9,
      facts: [work(1, false), active(1.2, 2), reads("idle", 3, 4, 2), gone(5, 6)],
      is: ["resting", "ended"],
      at: 5,
    },
    {
      name: "one that went on to do something else after its work was done is dead",
      now: 9,
      facts: [work(1, false), active(4, 4), gone(5, 6)],
      is: ["dead", "exited"],
      at: 5,
    },
    {
      name: "one that asked a person after its work was done is dead",
      now: 9,
      facts: [work(1, false), reads("waiting", 3, 4), gone(5, 6)],
      is: ["dead", "exited"],
      at: 5,
    },
  ]);
});

it("an address that answers with an error is said to, and is no process that ended", () => {
  const facts = [gone(1, 2, { signal: "http", exit: "answered 503" })];
  const { rule: _, ...input } = madeUp(3, { observations: facts });
  expect(judge(input)).toMatchObject({
    state: "dead",
    reason: "no-answer",
    why: "its address answered 503; failing for 2 min",
  });
});

describe("row 3, where two signals show one terminal", () => {
  const tmux = { signal: "tmux" } as const;
  const log = { signal: "log" } as const;
  table([
    {
      name: "whoever saw it idle decides how it ended, not whoever looked last",
      now: 9,
      facts: [gone(5, 7, { ...tmux, shell: "calm" }), gone(5.01, 6, { ...log, shell: "calm", clean: true })],
      unpromised: true,
      is: ["resting", "ended"],
    },
    {
      name: "… unless the other shows the words of a crash",
      now: 9,
      facts: [gone(5, 6, { ...tmux, shell: "crash" }), gone(5.01, 7, { ...log, shell: "calm", clean: true })],
      unpromised: true,
      is: ["dead", "exited"],
    },
    {
      name: "… or the pane itself is gone",
      now: 9,
      facts: [gone(5, 7, { ...tmux }), gone(5.01, 6, { ...log, shell: "calm", clean: true })],
      unpromised: true,
      is: ["dead", "exited"],
    },
    {
      name: "each takes its own word back, in whatever order they see it again",
      now: 9,
      facts: [gone(1, 3, tmux), gone(1, 2, log), present(5, tmux), present(6, log), reads("idle", 5, 6)],
      unpromised: true,
      is: ["resting", "idle"],
    },
    {
      name: "a program that came to the foreground ends what the log said",
      now: 9,
      facts: [gone(1, 2, log), fronted("program", 5, 5), reads("idle", 5, 6)],
      unpromised: true,
      is: ["resting", "idle"],
    },
    {
      name: "… but not one that was there before, and not what was said of a process",
      now: 9,
      facts: [gone(1, 7, log), gone(1, 2), fronted("program", 5, 5), reads("idle", 5, 6)],
      unpromised: true,
      is: ["dead", "exited"],
    },
    {
      name: "the one that saw it go has not seen it again",
      now: 9,
      facts: [gone(1, 3, tmux), present(6, log), reads("idle", 5, 6)],
      unpromised: true,
      is: ["dead", "exited"],
    },
  ]);
});
it("an agent that was added after a break of the watch is new, not one that was not looked at since", () => {
  const { rule: _, ...seen } = madeUp(31, { addedAt: m(30), ...unwatched(blind(0, 10)) });
  expect(judge(seen)).toMatchObject({ state: "new", why: "registered 1 min ago, no sign of life yet" });
  expect(judge({ ...seen, addedAt: m(-5) })).toMatchObject({
    state: "unknown",
    why: expect.stringContaining("not checked since Rollcall began to watch again at 2025-01-15T12:10:00"),
  });
});

it("after a break of the watch, what could not be read is named, and an error stays the last word", () => {
  const seen = (...observations: readonly Observation[]) => {
    const { rule: _, ...all } = madeUp(31, { addedAt: m(-5), ...unwatched(blind(0, 10)) });
    return judge({ ...all, observations });
  };
  const unread = broken(30, "log", "the log does not exist");
  expect(seen(heard(-1), unread)).toMatchObject({
    state: "unknown",
    why: "could not be checked since Rollcall began to watch again at 2025-01-15T12:10:00Z: the log does not exist",
  });
  expect(seen(heard(-1, { status: "error" }), unread)).toMatchObject({ state: "failing" });
  expect(seen(heard(-1, { status: "error" }))).toMatchObject({ state: "failing" });
});
