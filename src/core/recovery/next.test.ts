import { describe, expect, it } from "vitest";
import { MINUTE, SECOND } from "../duration.ts";
import { gone, heard, life, NOON, present, reads } from "../liveness/case.fixture.ts";
import type { Reason, State } from "../liveness/state.ts";
import type { Step } from "./ladder.ts";
import { isSpentMark, nextStep, type Situation } from "./next.ts";
import { ESCALATE, incidentOf, NUDGE, RELEASE, RESTART, recoveryOf, verdictOf } from "./recovery.fixture.ts";

const idle = reads("idle", -15, 0);

function ask(state: State, reason: Reason, more: Partial<Situation> = {}): string {
  const next = nextStep({
    incident: incidentOf(state, reason),
    verdict: verdictOf(state, reason),
    observations: [],
    ladder: [NUDGE, RESTART],
    earlier: [],
    now: NOON,
    ...more,
  });
  if (next.take !== undefined) return next.take.do;
  return next.at === undefined ? next.why : `${next.why} ${(next.at - (more.now ?? NOON)) / SECOND}`;
}

const limited = (resetIn: number) => reads("limited", -15, 0, -15, { resetAt: NOON + resetIn * SECOND });

const FAILING = { states: ["failing"] } as const;

const rows: readonly [string, string, State, Reason, Partial<Situation>][] = [
  ["one that died is restarted at once", "restart", "dead", "exited", {}],
  ["nothing happens where the config names no steps", "no-ladder", "dead", "exited", { ladder: [] }],
  ["one that is well again is left alone", "recovered", "alive", "beat", {}],
  ["one that rests is left alone", "recovered", "resting", "ended", {}],
  ["one that we cannot judge is left alone", "unclear 30", "unknown", "not-watched", {}],
  ["one that is late is not yet in trouble", "unclear 30", "late", "overdue", {}],
  ["one that is paused is left alone", "paused", "paused", "paused", {}],
  [
    "an incident that is resolved needs no step",
    "recovered",
    "dead",
    "exited",
    { incident: incidentOf("dead", "exited", { resolved: { at: NOON, how: "by-hand", why: "" } }) },
  ],
  [
    "a step whose condition names other reasons does not apply",
    "no-step",
    "dead",
    "no-beat",
    {
      ladder: [{ ...RESTART, when: { states: ["dead"], reasons: ["exited"] } }],
    },
  ],
  // What anybody could have claimed.
  [
    "an error that only beats without a token tell of ends no process",
    "unproven 30",
    "failing",
    "says-error",
    { ladder: [{ ...RESTART, kill: true, when: FAILING }], proven: verdictOf("alive", "working") },
  ],
  [
    "nor does a crash that only they tell of, nor by way of systemd",
    "unproven 30",
    "dead",
    "exited",
    {
      ladder: [
        { ...RESTART, kill: true },
        { ...RESTART, with: { by: "unit", unit: "bot.service", user: true } },
      ],
      proven: verdictOf("alive", "present"),
    },
  ],
  [
    "the steps after it are taken",
    "escalate",
    "failing",
    "says-error",
    {
      ladder: [{ ...RESTART, kill: true, when: FAILING }, ESCALATE],
      proven: verdictOf("alive", "working"),
    },
  ],
  [
    "when these have been taken, it is still the reason that is shown",
    "unproven 30",
    "failing",
    "says-error",
    {
      ladder: [{ ...RESTART, kill: true, when: FAILING }, ESCALATE],
      proven: verdictOf("alive", "working"),
      earlier: [recoveryOf("escalate", NOON, { step: 1 })],
    },
  ],
  [
    "a step that ends nothing is taken on it",
    "restart",
    "dead",
    "exited",
    { ladder: [RESTART], proven: verdictOf("alive", "beat") },
  ],
  [
    "where something else tells of the trouble, the process may be ended",
    "restart",
    "failing",
    "says-error",
    {
      ladder: [{ ...RESTART, kill: true, when: { states: ["failing", "stalled"] } }],
      proven: verdictOf("stalled", "looping"),
    },
  ],
  [
    "and where the beats are proven",
    "restart",
    "failing",
    "says-error",
    { ladder: [{ ...RESTART, kill: true, when: FAILING }] },
  ],
  // Who must not be touched.
  [
    "one that waits is never restarted, whatever the config says",
    "waiting",
    "waiting",
    "permission",
    {
      ladder: [{ ...RESTART, kill: true, when: { states: ["waiting", "dead"] } }],
    },
  ],
  ["nor nudged", "waiting", "waiting", "question", { ladder: [{ ...NUDGE, when: { states: ["waiting"] } }] }],
  [
    "nor one that logs in",
    "waiting",
    "waiting",
    "login",
    {
      ladder: [{ ...RESTART, when: { states: ["waiting"] } }],
    },
  ],
  [
    "but people can be told of it",
    "escalate",
    "waiting",
    "login",
    {
      ladder: [{ ...ESCALATE, when: { states: ["waiting"] } }],
    },
  ],
  [
    "one that is dead by its PID file while its pane asks for permission waits",
    "waiting",
    "dead",
    "exited",
    {
      observations: [gone(-1, 0), reads("waiting", -5, 0)],
    },
  ],
  [
    "the last screen of a pane that is gone says nothing",
    "restart",
    "dead",
    "exited",
    {
      observations: [gone(-1, 0, { signal: "tmux" }), reads("waiting", -5, 0)],
    },
  ],
  [
    "nor does the screen of a log, which outlives its program",
    "restart",
    "dead",
    "exited",
    {
      observations: [gone(-1, 0), reads("waiting", -5, 0, -5, { signal: "log" })],
    },
  ],
  [
    "one at a limit is never restarted",
    "limited",
    "limited",
    "limit",
    {
      ladder: [{ ...RESTART, when: { states: ["limited"] } }],
      observations: [limited(-60)],
    },
  ],
  [
    "one at a limit without a known end is left alone",
    "limited",
    "limited",
    "limit",
    {
      observations: [reads("limited", -5, 0)],
    },
  ],
  [
    "one at a limit is nudged just after its end, not before",
    "limited 65",
    "limited",
    "limit",
    {
      observations: [limited(60)],
    },
  ],
  ["one at a limit that has ended is nudged", "nudge", "limited", "limit", { observations: [limited(-6)] }],
  [
    "but once",
    "tried",
    "limited",
    "limit",
    {
      observations: [limited(-60)],
      earlier: [
        recoveryOf("nudge", NOON - 20 * SECOND, {
          aim: { state: "limited", reason: "limit", resetAt: NOON - 60 * SECOND },
        }),
      ],
      incident: incidentOf("limited", "limit", { episodes: [NOON - MINUTE], noticedAt: NOON - MINUTE }),
    },
  ],
  [
    "and again at the next limit",
    "nudge",
    "limited",
    "limit",
    {
      observations: [limited(-6)],
      earlier: [
        recoveryOf("nudge", NOON - MINUTE, { aim: { state: "limited", reason: "limit", resetAt: 1 } }),
      ],
      incident: incidentOf("limited", "limit", {
        episodes: [NOON - 2 * MINUTE],
        noticedAt: NOON - 2 * MINUTE,
      }),
    },
  ],
  [
    "beats without a process are never answered with a second copy",
    "beats-without-process",
    "dead",
    "beats-without-process",
    {},
  ],
  // Nudges.
  ["an idle one with work is nudged", "nudge", "stalled", "idle-with-work", { observations: [idle] }],
  [
    "one whose screen spins takes no input: the next step",
    "restart",
    "stalled",
    "spinning",
    {
      observations: [reads("spinning", -15, 0)],
      ladder: [NUDGE, { ...RESTART, kill: true, when: { states: ["stalled"] } }],
    },
  ],
  [
    "or none",
    "no-input",
    "stalled",
    "spinning",
    { observations: [reads("spinning", -15, 0)], ladder: [NUDGE] },
  ],
  ["one without a pane takes no input", "no-input", "stalled", "silent", { ladder: [NUDGE] }],
  [
    "a dead one is not nudged",
    "no-input",
    "dead",
    "exited",
    {
      ladder: [{ ...NUDGE, when: { states: ["dead"] } }],
      observations: [idle],
    },
  ],
  [
    "a nudge that did not help gives way to the next step, after a moment",
    "backing-off 6",
    "stalled",
    "idle-with-work",
    {
      observations: [idle],
      ladder: [NUDGE, { ...RESTART, kill: true, when: { states: ["stalled"] } }],
      earlier: [recoveryOf("nudge", NOON + 2 * SECOND)],
      now: NOON + 6 * SECOND,
    },
  ],
  [
    "and then the next step comes",
    "restart",
    "stalled",
    "idle-with-work",
    {
      observations: [idle],
      ladder: [NUDGE, { ...RESTART, kill: true, when: { states: ["stalled"] } }],
      earlier: [recoveryOf("nudge", NOON + 2 * SECOND)],
      now: NOON + 12 * SECOND,
    },
  ],
  // Evidence.
  [
    "evidence comes first",
    "evidence-missing 7",
    "dead",
    "exited",
    {
      incident: incidentOf("dead", "exited", { findings: { at: NOON - 1, items: [] } }),
      now: NOON + 3 * SECOND,
    },
  ],
  [
    "but is not waited for for ever",
    "restart",
    "dead",
    "exited",
    {
      incident: incidentOf("dead", "exited", { findings: { at: NOON - 1, items: [] } }),
      now: NOON + 10 * SECOND,
    },
  ],
  // Backoff and budget.
  [
    "the second restart waits 10 s",
    "backing-off 10",
    "dead",
    "exited",
    { earlier: [recoveryOf("restart", NOON, { step: 1 })] },
  ],
  [
    "the third 20 s",
    "backing-off 20",
    "dead",
    "exited",
    {
      earlier: [
        recoveryOf("restart", NOON - 15 * SECOND, { step: 1 }),
        recoveryOf("restart", NOON, { step: 1 }),
      ],
    },
  ],
  [
    "the wait is never longer than five minutes",
    "backing-off 300",
    "dead",
    "exited",
    {
      earlier: Array.from({ length: 12 }, (_, n) =>
        recoveryOf("restart", NOON - n * 30 * MINUTE, { step: 1, incident: `old-${n}` }),
      ),
    },
  ],
  [
    "a clock that was set back holds up nobody",
    "restart",
    "dead",
    "exited",
    {
      earlier: [recoveryOf("restart", NOON + 60 * MINUTE, { step: 1, incident: "old" })],
    },
  ],
  [
    "three restarts in ten minutes are enough",
    "budget-spent",
    "dead",
    "exited",
    {
      earlier: [1, 3, 5].map((ago) => recoveryOf("restart", NOON - ago * MINUTE, { step: 1 })),
    },
  ],
  [
    "but the third has its time before it is given up",
    "backing-off 35",
    "dead",
    "exited",
    {
      earlier: [5, 60, 90].map((ago) => recoveryOf("restart", NOON - ago * SECOND, { step: 1 })),
    },
  ],
  [
    "one that was under way when the watcher was killed counts",
    "budget-spent",
    "dead",
    "exited",
    {
      earlier: [1, 3, 5].map((ago) =>
        recoveryOf("restart", NOON - ago * MINUTE, { step: 1, state: "failed", mayBeDone: true }),
      ),
    },
  ],
  [
    "tries that failed do not spend the budget",
    "restart",
    "dead",
    "exited",
    {
      earlier: [
        ...[9, 8].map((ago) => recoveryOf("restart", NOON - ago * MINUTE, { step: 1 })),
        ...[7, 6].map((ago) => recoveryOf("restart", NOON - ago * MINUTE, { step: 1, state: "failed" })),
      ],
    },
  ],
  [
    "three that failed in a row are enough",
    "keeps-failing",
    "dead",
    "exited",
    {
      earlier: [7, 6, 5].map((ago) =>
        recoveryOf("restart", NOON + ago * MINUTE, { step: 1, state: "failed" }),
      ),
      now: NOON + 20 * MINUTE,
    },
  ],
  [
    "… of this episode",
    "restart",
    "dead",
    "exited",
    {
      earlier: [7, 6, 5].map((ago) =>
        recoveryOf("restart", NOON - ago * MINUTE, { step: 1, state: "failed", incident: "old" }),
      ),
    },
  ],
  [
    "… and then the next step has its turn",
    "escalate",
    "dead",
    "exited",
    {
      earlier: [
        ...[7, 6, 5].map((ago) =>
          recoveryOf("restart", NOON + ago * MINUTE, { step: 0, state: "failed", why: "no pane" }),
        ),
        recoveryOf("restart", NOON + 8 * MINUTE, { step: 0, state: "dropped", why: "keeps-failing: …" }),
      ],
      ladder: [RESTART, ESCALATE],
      now: NOON + 20 * MINUTE,
    },
  ],
  [
    "one that was dropped does not",
    "backing-off 140",
    "dead",
    "exited",
    {
      earlier: [1, 3, 5].map((ago) =>
        recoveryOf("restart", NOON - ago * MINUTE, { step: 1, state: ago === 3 ? "dropped" : "done" }),
      ),
      ladder: [{ ...RESTART, backoff: { first: 100 * SECOND, longest: 999 * SECOND } }],
    },
  ],
  [
    "three that helped in half an hour are not too many",
    "restart",
    "dead",
    "exited",
    {
      earlier: [6, 16, 26].map((ago) => recoveryOf("restart", NOON - ago * MINUTE, { step: 1 })),
    },
  ],
  [
    "three in vain are, however slow",
    "budget-spent",
    "dead",
    "exited",
    {
      earlier: [6, 16, 26].map((ago) => recoveryOf("restart", NOON - ago * MINUTE, { step: 1 })),
      incident: incidentOf("dead", "exited", {
        noticedAt: NOON - 40 * MINUTE,
        episodes: [NOON - 40 * MINUTE],
      }),
    },
  ],
  [
    "a spent budget stays spent although time passes",
    "budget-spent",
    "dead",
    "exited",
    {
      earlier: [
        recoveryOf("restart", NOON - 25 * MINUTE, { step: 1, state: "dropped", why: "budget-spent: …" }),
      ],
    },
  ],
  [
    "and then people are told",
    "escalate",
    "dead",
    "exited",
    {
      ladder: [RESTART, ESCALATE],
      earlier: [recoveryOf("restart", NOON - 5 * MINUTE, { state: "dropped", why: "budget-spent: …" })],
    },
  ],
  [
    "once",
    "tried",
    "dead",
    "exited",
    {
      ladder: [RESTART, ESCALATE],
      earlier: [
        recoveryOf("restart", NOON, { state: "dropped", why: "budget-spent: …" }),
        recoveryOf("escalate", NOON, { step: 1 }),
      ],
      now: NOON + MINUTE,
    },
  ],
  ["work is released before the restart", "release", "dead", "orphan", { ladder: [RELEASE, RESTART] }],
  [
    "and once",
    "restart",
    "dead",
    "orphan",
    {
      ladder: [RELEASE, RESTART],
      earlier: [recoveryOf("release", NOON)],
      now: NOON + 10 * SECOND,
    },
  ],
  [
    "a release that failed is tried again",
    "release",
    "dead",
    "orphan",
    {
      ladder: [RELEASE, RESTART],
      earlier: [recoveryOf("release", NOON, { state: "failed" })],
      now: NOON + 10 * SECOND,
    },
  ],
  [
    "a restart that cannot be made is given up the third time",
    "tried",
    "dead",
    "exited",
    {
      earlier: [1, 2, 3].map((at) =>
        recoveryOf("restart", NOON + at, { step: 1, state: "dropped", why: "…" }),
      ),
    },
  ],
  [
    "one that is known by its beats alone has its time to beat before it is started again",
    "unobserved 1140",
    "dead",
    "no-beat",
    {
      earlier: [recoveryOf("restart", NOON, { step: 1 })],
      rule: { every: 15 * MINUTE, grace: 5 * MINUTE },
      incident: incidentOf("dead", "no-beat", {
        noticedAt: NOON - 5 * MINUTE,
        episodes: [NOON - 5 * MINUTE],
      }),
      now: NOON + MINUTE,
    },
  ],
  [
    "one whose start failed has nothing to show",
    "restart",
    "dead",
    "no-beat",
    {
      earlier: [recoveryOf("restart", NOON, { step: 1, state: "failed" })],
      rule: { every: 15 * MINUTE, grace: 5 * MINUTE },
      incident: incidentOf("dead", "no-beat", {
        noticedAt: NOON - 5 * MINUTE,
        episodes: [NOON - 5 * MINUTE],
      }),
      now: NOON + MINUTE,
    },
  ],
  [
    "one that fell silent waits until it is known whether many did",
    "common-cause 65",
    "dead",
    "no-beat",
    { now: NOON + MINUTE },
  ],
  [
    "one of many who fell silent at once is not restarted: the cause is elsewhere",
    "common-cause",
    "dead",
    "no-beat",
    { incident: incidentOf("dead", "no-beat", { spokenForBy: "group-1" }), now: NOON + 5 * MINUTE },
  ],
  ["one that was seen to end is not held", "restart", "dead", "exited", { now: NOON + SECOND }],
];

describe("the next step", () => {
  it.each(rows)("%s", (_name, expected, state, reason, more) => {
    expect(ask(state, reason, more)).toBe(expected);
  });

  it("waits for its turn if it takes up a conversation, and no other restart does", () => {
    const known = {
      ...{ incident: incidentOf("dead", "exited"), verdict: verdictOf("dead", "exited"), observations: [] },
      ...{ earlier: [], now: NOON, turn: NOON + 6000 },
    };
    const resume: Step = { ...RESTART, with: { by: "resume", command: ["claude"] } };
    expect(nextStep({ ...known, ladder: [resume] })).toMatchObject({ why: "others-first", at: NOON + 6000 });
    expect(nextStep({ ...known, ladder: [resume], now: NOON + 6000 })).toMatchObject({ take: resume });
    expect(nextStep({ ...known, ladder: [RESTART] })).toMatchObject({ take: RESTART });
  });

  it("is aimed at the life that was seen last", () => {
    const observations = [present(-9, { incarnation: life(7) }), gone(-1, 0, { incarnation: life(8) })];
    const incident = incidentOf("dead", "exited");
    const verdict = verdictOf("dead", "exited");
    const next = nextStep({ incident, verdict, observations, ladder: [RESTART], earlier: [], now: NOON });
    expect(next).toMatchObject({ aim: { incarnation: { pid: 8 }, state: "dead", reason: "exited" } });
  });

  it("is aimed at the life that a beat names only where nobody looks, and says so", () => {
    const situation = {
      incident: incidentOf("dead", "exited"),
      verdict: verdictOf("dead", "exited"),
      ladder: [RESTART],
      earlier: [],
      now: NOON,
    };
    const beat = heard(5, { incarnation: life(9) });
    const seen = nextStep({ ...situation, observations: [beat, gone(-1, 0, { incarnation: life(8) })] });
    expect(seen).toMatchObject({ aim: { incarnation: { pid: 8 }, seen: true } });
    const named = nextStep({ ...situation, observations: [beat] });
    expect(named.take && named.aim).toEqual({ state: "dead", reason: "exited", incarnation: life(9) });
  });

  it("says of a spent budget that nobody has been told, until somebody has", () => {
    const earlier = [1, 3, 5].map((ago) => recoveryOf("restart", NOON - ago * MINUTE));
    const situation = {
      incident: incidentOf("dead", "exited"),
      verdict: verdictOf("dead", "exited"),
      observations: [],
      ladder: [RESTART],
      now: NOON,
    };
    expect(nextStep({ ...situation, earlier })).toMatchObject({
      why: "budget-spent",
      untold: true,
      index: 0,
    });
    const mark = recoveryOf("restart", NOON, { state: "dropped", why: "budget-spent: gave up" });
    expect(isSpentMark(mark)).toBe(true);
    expect(nextStep({ ...situation, earlier: [...earlier, mark] })).toEqual({
      take: undefined,
      why: "budget-spent",
    });
  });
});
