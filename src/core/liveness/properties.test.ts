import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Rule } from "../agent.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../duration.ts";
import { life, NOON, standing } from "./case.fixture.ts";
import type { Case, Standing } from "./case.ts";
import { flip, judge } from "./judge.ts";
import { remember } from "./memory.ts";
import type { Observation, Signal } from "./observation.ts";
import { outlook } from "./outlook.ts";
import { type BlindSpan, FULL_TRUST, isLag, type Trust } from "./trust.ts";

const RUNS = { numRuns: 500 };
const SOUND = ["alive", "resting", "new"];
const TROUBLE = ["late", "stalled", "dead"];

const rules: fc.Arbitrary<Rule | undefined> = fc.constantFrom<(Rule | undefined)[]>(
  undefined,
  { every: 15 * MINUTE, grace: 5 * MINUTE },
  { every: 2 * SECOND, grace: SECOND },
  { every: HOUR, grace: 0 },
  { schedule: "*/20 * * * *", timezone: "Asia/Kathmandu", grace: 5 * MINUTE },
  { schedule: "30 12 * * *", timezone: "Europe/Berlin", grace: HOUR },
);

/** Instants of the last two hours, often equal ones. */
const past = fc
  .oneof(
    fc.integer({ min: 0, max: 24 }).map((n) => n * 5 * MINUTE),
    fc.integer({ min: 0, max: 2 * HOUR }),
  )
  .map((ago) => NOON - ago);
const incarnation = fc.option(fc.constantFrom(life(1), life(2)), { nil: undefined });
const passive = fc.constantFrom<Signal[]>("process", "tmux", "transcript", "log");
const context = fc.constantFrom("model" as const, "tool" as const, "unknown" as const);
const readings = fc.constantFrom(
  "waiting" as const,
  "login" as const,
  "limited" as const,
  "working" as const,
  "retrying" as const,
  "idle" as const,
  "looping" as const,
  "spinning" as const,
);

function known<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}

const beats: fc.Arbitrary<Observation> = fc
  .record({
    at: past,
    source: fc.constantFrom("agent" as const, "wrapper" as const),
    status: fc.constantFrom("ok" as const, "ok" as const, "error" as const),
    host: fc.constantFrom(undefined, "ann", "bob"),
    incarnation,
  })
  .map(({ at, source, status, host, incarnation: of }) => ({
    kind: "beat",
    signal: "beat",
    at,
    firstAt: at,
    source,
    status,
    ...known("host", host),
    ...known("incarnation", of),
  }));

const marks: fc.Arbitrary<Observation> = fc
  .record({
    at: past,
    event: fc.constantFrom("begun" as const, "ended" as const),
    ok: fc.boolean(),
    incarnation,
  })
  .map(({ at, event, ok, incarnation: of }) => ({
    kind: "cycle",
    signal: "beat",
    at,
    event,
    ok,
    ...known("incarnation", of),
  }));

const seen: fc.Arbitrary<Observation> = fc
  .record({
    signal: passive,
    times: fc.tuple(past, past, past),
    clean: fc.boolean(),
    context,
    incarnation,
    reading: readings,
  })
  .chain(({ signal, times, clean, context: during, incarnation: of, reading }) => {
    const [at, progressAt, seenAt] = times.toSorted((a, b) => a - b) as [Instant, Instant, Instant];
    return fc.constantFrom<Observation[]>(
      { kind: "present", signal, at: seenAt, ...known("incarnation", of) },
      { kind: "gone", signal, at, seenAt, clean, ...known("incarnation", of) },
      { kind: "activity", signal, at, seenAt, context: during },
      { kind: "reading", signal, at, seenAt, progressAt, reading, context: during },
      { kind: "work", signal, at, open: clean },
      { kind: "degraded", signal, at: seenAt, problem: `no ${reading} pane` },
      { kind: "degraded", signal: "beat", at: seenAt, problem: `no ${reading} file` },
    );
  });

const facts = fc.array(fc.oneof(beats, marks, seen), { maxLength: 8 });

/** Spans of the last two hours that were not watched, in order and apart. */
const trusts: fc.Arbitrary<Trust> = fc
  .array(
    fc.record({
      watched: fc.integer({ min: 1, max: 30 * MINUTE }),
      missed: fc.integer({ min: 0, max: 30 * MINUTE }),
      cause: fc.constantFrom<BlindSpan["cause"][]>("outage", "suspend", "step", "lag", "paused"),
    }),
    { maxLength: 3 },
  )
  .map((list) => {
    let end = NOON;
    const blind = list.map(({ watched, missed, cause }) => {
      const to = end - watched;
      end = to - missed;
      return { from: end, to, cause };
    });
    return { blind: blind.reverse() };
  });

function caseOf(observations: readonly Observation[], rule: Rule | undefined, trust: Trust): Case {
  return { observations, addedAt: NOON - 3 * HOUR, now: NOON, trust, ...known("rule", rule) };
}

function remembered(list: readonly Observation[], now = NOON): readonly Observation[] {
  return list.reduce<readonly Observation[]>((memory, fact) => remember(memory, fact, now), []);
}

const shuffled = facts.chain((list) =>
  fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
);

function inside({ blind }: Trust, at: Instant): boolean {
  return blind.some(({ from, to }) => at >= from && at < to);
}

describe("the order in which equal facts arrive", () => {
  it("does not change the verdict", () => {
    fc.assert(
      fc.property(shuffled, rules, trusts, ([list, other], rule, trust) => {
        expect(judge(caseOf(other, rule, trust))).toEqual(judge(caseOf(list, rule, trust)));
      }),
      RUNS,
    );
  });

  it("does not change what is remembered", () => {
    fc.assert(
      fc.property(shuffled, rules, trusts, ([list, other], rule, trust) => {
        const [one, two] = [remembered(list), remembered(other)];
        expect(new Set(two)).toEqual(new Set(one));
        expect(judge(caseOf(two, rule, trust))).toEqual(judge(caseOf(one, rule, trust)));
      }),
      RUNS,
    );
  });

  it("does not matter, because what is forgotten decides nothing", () => {
    const hostless = facts.map((list) =>
      list.filter((fact) => fact.kind !== "beat" || fact.host === undefined),
    );
    fc.assert(
      fc.property(hostless, rules, trusts, (list, rule, trust) => {
        const { basis: _, ...all } = judge(caseOf(list, rule, trust));
        expect(judge(caseOf(remembered(list), rule, trust))).toMatchObject(all);
      }),
      RUNS,
    );
  });
});

describe("memory", () => {
  it("takes a repeated fact as known", () => {
    fc.assert(
      fc.property(facts, (list) => {
        const memory = remembered(list);
        for (const fact of memory) expect(remember(memory, fact, NOON)).toBe(memory);
      }),
      RUNS,
    );
  });

  it("is bounded, however many facts of however many hosts arrive", () => {
    const hosts = fc.integer({ min: 0, max: 50 }).map((n) => `host${n}`);
    const crowd = fc
      .tuple(beats, hosts)
      .map(([fact, host]): Observation => ({ ...fact, host }) as Observation);
    fc.assert(
      fc.property(fc.array(fc.oneof(crowd, marks, seen), { maxLength: 200 }), (list) => {
        const memory = remembered(list);
        expect(memory.filter(({ kind }) => kind === "beat").length).toBeLessThanOrEqual(6);
        expect(memory.length).toBeLessThanOrEqual(6 + 2 + 1 + 4 * 6);
      }),
      { numRuns: 50 },
    );
  });
});

describe("judging twice", () => {
  it("is judging once, whatever was believed before", () => {
    fc.assert(
      fc.property(
        facts,
        facts,
        rules,
        trusts,
        fc.integer({ max: 2 * HOUR }),
        (old, list, rule, trust, later) => {
          const before = standing({ ...caseOf(remembered(old), rule, FULL_TRUST), now: NOON - later });
          const input = { ...caseOf(remembered([...old, ...list]), rule, trust), previous: before };
          const once = judge(input);
          const since = flip("a", before, once, NOON, trust)?.at ?? before.since;
          const twice = judge({ ...input, previous: { verdict: once, since } });
          expect(twice).toEqual(once);
          expect(flip("a", { verdict: once, since }, twice, NOON, trust)).toBeUndefined();
        },
      ),
      RUNS,
    );
  });
});

describe("a flip", () => {
  it("is never dated after it is noticed, nor inside a span that was not watched", () => {
    fc.assert(
      fc.property(
        facts,
        facts,
        rules,
        trusts,
        fc.integer({ min: 0, max: 2 * HOUR }),
        (old, list, rule, trust, ago) => {
          const before = standing({ ...caseOf(remembered(old), rule, FULL_TRUST), now: NOON - ago });
          const input = { ...caseOf(remembered([...old, ...list]), rule, trust), previous: before };
          const change = flip("a", before, judge(input), NOON, trust);
          if (change === undefined) return;
          expect(change.at).toBeLessThanOrEqual(change.noticedAt);
          expect(inside(trust, change.at)).toBe(false);
          expect(change.at).toBeGreaterThanOrEqual(before.since);
        },
      ),
      RUNS,
    );
  });
});

/** What can happen to an agent of which nothing new is heard. */
type Step = { readonly clock: number } | { readonly missed: number; readonly cause: BlindSpan["cause"] };
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ clock: fc.integer({ min: 0, max: HOUR }) }),
    fc.record({ clock: fc.integer({ min: -DAY, max: 0 }) }),
    fc.record({ clock: fc.integer({ min: -HOUR, max: 0 }) }),
    fc.record({
      missed: fc.integer({ min: 0, max: 2 * HOUR }),
      cause: fc.constantFrom<BlindSpan["cause"][]>("outage", "suspend", "step", "lag"),
    }),
  ),
  { minLength: 1, maxLength: 12 },
);

/** Judges after each step as the watcher does, and shows each verdict with the one before it. */
function live(
  start: Case,
  list: readonly Step[],
  look: (before: Standing, after: Standing, now: Instant) => void,
): void {
  let before = standing(start);
  let { now } = start;
  const blind = [...start.trust.blind];
  for (const step of list) {
    if ("missed" in step) blind.push({ from: now, to: now + step.missed, cause: step.cause });
    else if (step.clock < -MINUTE)
      blind.push({ from: now + step.clock, to: now + step.clock, cause: "step" });
    now += "missed" in step ? step.missed : step.clock;
    const trust = { blind: [...blind] };
    const verdict = judge({ ...start, previous: before, now, trust });
    const change = flip("a", before, verdict, now, trust);
    const after = { verdict, since: change?.at ?? before.since };
    look(before, after, now);
    before = after;
  }
}

describe("with no new fact", () => {
  it("time alone never turns late, stalled or dead into health, on no detour and by no clock", () => {
    fc.assert(
      fc.property(facts, rules, trusts, steps, (list, rule, trust, walk) => {
        let troubled = false;
        live(caseOf(remembered(list), rule, trust), walk, (before, after, now) => {
          troubled ||= TROUBLE.includes(before.verdict.state);
          if (troubled) expect(SOUND).not.toContain(after.verdict.state);
          if (before.verdict.state === "dead") expect(after.verdict.state).toBe("dead");
          expect(after.verdict.at).toBeLessThanOrEqual(now);
          expect(after.verdict.next).toBeGreaterThan(now);
        });
      }),
      { numRuns: 2000 },
    );
  });

  it("nothing changes before the moment at which it is to be judged again", () => {
    const shares = fc.double({ min: 0, max: 1, noNaN: true });
    // Where the clock was set back, a part of what is known lies in the future.
    const back = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: HOUR }));
    fc.assert(
      fc.property(facts, rules, trusts, shares, back, (list, rule, trust, share, ago) => {
        const start = { ...caseOf(list, rule, ago === 0 ? trust : FULL_TRUST), now: NOON - ago };
        let previous = standing(start);
        let { now } = start;
        for (let round = 0; round < 8; round++) {
          const { next, state } = previous.verdict;
          expect(next).toBeGreaterThan(now);
          const last = Math.min(next, now + 3 * DAY) - 1;
          for (const at of [now + Math.floor((last - now) * share), last]) {
            expect(judge({ ...start, previous, now: at }).state).toBe(state);
          }
          now = last + 1;
          const verdict = judge({ ...start, previous, now });
          previous = { verdict, since: verdict.at };
        }
      }),
      RUNS,
    );
  });
});

describe("an outlook", () => {
  it("is in order of time, and one more break never brings a death nearer", () => {
    fc.assert(
      fc.property(rules, past, trusts, fc.nat(), (rule, stamp, trust, pick) => {
        if (rule === undefined) return;
        const list = outlook(rule, stamp, trust);
        const froms = list.map(({ from }) => from);
        expect(froms).toEqual(froms.toSorted((a, b) => a - b));
        expect([list[0]?.says, list.at(-1)?.says]).toEqual(["fresh", "dead"]);
        const left = trust.blind.filter((_, i) => i !== pick % Math.max(1, trust.blind.length));
        const dead = outlook(rule, stamp, { blind: left }).at(-1)?.from;
        expect(list.at(-1)?.from).toBeGreaterThanOrEqual(dead ?? 0);
      }),
      RUNS,
    );
  });

  it("of a pace comes after one whole dead-after of watching, and after two at most", () => {
    const rule: Rule = { every: 15 * MINUTE, grace: 5 * MINUTE };
    fc.assert(
      fc.property(past, trusts, (stamp, trust) => {
        const dead = outlook(rule, stamp, trust).at(-1)?.from ?? 0;
        const spans = trust.blind.filter((span) => span.from < dead && span.to > stamp);
        const missed = spans.map(({ from, to }) => Math.min(dead, to) - Math.max(from, stamp));
        const watched = dead - stamp - missed.reduce((sum, length) => sum + length, 0);
        expect(watched).toBeGreaterThanOrEqual(20 * MINUTE);
        // A pause gives its chance whenever an operator asks for it.
        if (spans.some(({ cause }) => cause === "paused")) return;
        expect(watched).toBeLessThanOrEqual(40 * MINUTE);
      }),
      RUNS,
    );
  });

  it("of a pace gives a whole dead-after from the end of the first long break before its deadline", () => {
    const rule: Rule = { every: 15 * MINUTE, grace: 5 * MINUTE };
    fc.assert(
      fc.property(past, trusts, (stamp, trust) => {
        const dead = outlook(rule, stamp, trust).at(-1)?.from ?? 0;
        const first = trust.blind.find(
          (span) => !isLag(span, rule) && span.to > stamp && span.from < stamp + 20 * MINUTE,
        );
        if (first !== undefined) expect(dead - first.to).toBeGreaterThanOrEqual(20 * MINUTE);
      }),
      RUNS,
    );
  });
});
