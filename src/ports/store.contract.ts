import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Agent } from "../core/agent.ts";
import type { Beat } from "../core/beat.ts";
import type { Cycle } from "../core/cycle/cycle.ts";
import type { BlindSpan } from "../core/liveness/trust.ts";
import type { Flip } from "../core/liveness/verdict.ts";
import { newNorm } from "../core/rhythm/norm.ts";
import { activity } from "../core/rhythm/rhythm.ts";
import type { Changes, Kept, KeptPage, RollEntry, Store } from "./store.ts";

/** A store to test, and for those that outlive their process how to open the same one again. */
interface StoreUnderTest {
  readonly store: Store;
  readonly reopen?: () => Promise<Store>;
}

const T = Date.UTC(2026, 2, 29, 1);
const NASTY = "NUL \0, DLE \x10, 0010, half \ud83d, 🫀, 'single' \"double\" `back`, \\, %s ?1 :a\r\n\ttail";
const ALL = { limit: 100_000 };

const agent = (id: string, more: Partial<Agent> = {}): Agent => ({
  id,
  rule: { every: 900_000, grace: 300_000 },
  origin: "beat",
  addedAt: T,
  ...more,
});
const beat = (id: string, at: number, more: Partial<Beat> = {}): Beat => ({
  id,
  agent: "allegro",
  source: "agent",
  status: "ok",
  sentAt: at - 5,
  receivedAt: at,
  ...more,
});
const flip = (at: number, more: Partial<Flip> = {}): Flip => ({
  agent: "allegro",
  from: "alive",
  to: "late",
  reason: "overdue",
  why: "no beat for 16 min",
  at,
  noticedAt: at + 3,
  ...more,
});
const cycle = (number: number, beganAt: number, more: Partial<Cycle> = {}): Cycle => ({
  agent: "allegro",
  number,
  beganAt,
  lastAt: beganAt,
  ...more,
});
const entry = (id: string, more: Partial<RollEntry> = {}): RollEntry => ({
  agent: id,
  standing: {
    since: T,
    verdict: { state: "new", reason: "registered", why: "-", at: T, basis: T, next: T + 1 },
  },
  observations: [],
  ...more,
});
const kept = (id: string, at: number, more: Partial<Kept<"norm">> = {}): Kept<"norm"> => ({
  kind: "norm",
  id,
  at,
  about: "painters",
  open: true,
  body: { ...newNorm(NASTY, at), falseAlarms: at - T },
  ...more,
});
const incarnation = { pid: 4711, startTime: "18446744073709551615", bootId: "3f1c" };
const ids = (beats: readonly Beat[]): string[] => beats.map(({ id }) => id);

/** Everything at once, every optional field present in one row and absent in another. */
const FULL: Required<Changes> = {
  removed: [],
  agents: [
    agent("allegro", { name: NASTY, origin: "config", pausedAt: T + 1, resumedAt: T + 2 }),
    agent("nightly@host-2", {
      signals: { tmux: { session: NASTY } },
      stall: 5,
      rule: { schedule: "30 2 * * *", timezone: "Europe/Berlin", grace: 3_600_000 },
    }),
  ],
  beats: [
    beat("b1", T + 1),
    beat("b2", T + 2, {
      source: "wrapper",
      status: "error",
      host: NASTY,
      incarnation,
      cycle: 7,
      cycleEvent: "ended",
      action: NASTY,
      message: NASTY,
      spooled: true,
    }),
  ],
  entries: [
    entry("nightly@host-2"),
    entry("allegro", {
      standing: {
        since: T + 2,
        verdict: {
          state: "failing",
          reason: "says-error",
          why: NASTY,
          at: T + 2,
          basis: T + 2,
          next: Number.POSITIVE_INFINITY,
        },
      },
      observations: [
        { kind: "beat", signal: "beat", at: T, firstAt: T, source: "agent", status: "error", message: NASTY },
        { kind: "work", signal: "transcript", at: T, open: false },
      ],
      lastBeat: beat("b2", T + 2, { action: NASTY }),
      rhythm: activity(null, { at: T, context: "tool", announced: 5 }),
      memories: { log: { path: NASTY, size: 7 } },
    }),
  ],
  flips: [flip(T + 1), flip(T + 2, { to: "failing", reason: "says-error", why: NASTY })],
  cycles: [
    cycle(6, T),
    cycle(7, T + 1, { lastAction: NASTY, endedAt: T + 2, outcome: "error", incarnation }),
  ],
  blind: [
    { from: T - 100, to: T - 50, cause: "outage" },
    { from: T - 10, to: T - 5, cause: "suspend" },
  ],
  kept: [kept("a", T), kept(NASTY, T + 1, { about: NASTY, open: false })],
  mark: { at: T + 3, uptime: 12_345.5, bootId: "3f1c" },
  settled: true,
};

const verdict = (more: object) => ({
  standing: { since: T, verdict: { ...entry("").standing.verdict, ...more } },
});
const incident = (more: object) =>
  ({
    kind: "incident",
    id: "i1",
    at: T,
    about: "allegro",
    open: true,
    body: { state: "dead", ...more },
  }) as Kept;

/** Commits that no store takes, with the words that say why. */
const REFUSED: readonly (readonly [string, Changes])[] = [
  ['the entry of "allegro" has basis NaN', { entries: [entry("allegro", verdict({ basis: Number.NaN }))] }],
  ["has at Infinity", { entries: [entry("allegro", verdict({ at: Number.POSITIVE_INFINITY }))] }],
  ["has next NaN", { entries: [entry("allegro", verdict({ next: Number.NaN }))] }],
  ["has next -Infinity", { entries: [entry("allegro", verdict({ next: Number.NEGATIVE_INFINITY }))] }],
  ['unknown state "well"', { entries: [entry("allegro", verdict({ state: "well" }))] }],
  ['unknown reason "luck"', { entries: [entry("allegro", verdict({ reason: "luck" }))] }],
  [
    "has observations.at NaN",
    { entries: [entry("allegro", { observations: [{ kind: "present", signal: "tmux", at: Number.NaN }] })] },
  ],
  ["has log.size NaN", { entries: [entry("allegro", { memories: { log: { size: Number.NaN } } })] }],
  ["has sentAt NaN", { entries: [entry("allegro", { lastBeat: beat("b", T, { sentAt: Number.NaN }) })] }],
  ['the beat of "b2" has receivedAt NaN', { beats: [beat("b1", T), beat("b2", Number.NaN, { sentAt: T })] }],
  ["has cycle Infinity", { beats: [beat("b1", T, { cycle: Number.POSITIVE_INFINITY })] }],
  ['the flip of "allegro" has at NaN', { flips: [flip(Number.NaN, { noticedAt: T })] }],
  ['unknown from "toString"', { flips: [flip(T, { from: "toString" as Flip["from"] })] }],
  ['unknown to "well"', { flips: [flip(T, { to: "well" as Flip["to"] })] }],
  ["has beganAt NaN", { cycles: [cycle(1, Number.NaN)] }],
  ['unknown outcome "fine"', { cycles: [cycle(1, T, { outcome: "fine" as Cycle["outcome"] & string })] }],
  ["has to NaN", { blind: [{ from: T, to: Number.NaN, cause: "lag" }] }],
  ['unknown cause "sleep"', { blind: [{ from: T, to: T, cause: "sleep" as BlindSpan["cause"] }] }],
  ["has rule.every NaN", { agents: [agent("x", { rule: { every: Number.NaN, grace: 1 } })] }],
  ["has body.since NaN", { kept: [incident({ since: Number.NaN })] }],
  ['unknown state "well"', { kept: [incident({ state: "well" })] }],
  ['unknown kind "thing"', { kept: [{ ...kept("a", T), kind: "thing" } as unknown as Kept] }],
  ["has uptime NaN", { mark: { at: T, uptime: Number.NaN, bootId: "b" } }],
  ['the entry of "nobody" belongs to no agent on the roll', { entries: [entry("nobody")] }],
  ['the flip of "nobody" belongs to no agent', { flips: [flip(T, { agent: "nobody" })] }],
  ['the entry of "allegro" belongs to no agent', { removed: ["allegro"], entries: [entry("allegro")] }],
  ['the flip of "allegro" belongs to no agent', { removed: ["allegro"], flips: [flip(T)] }],
];

/** What every store keeps to; an implementation runs it in three lines. */
export function storeContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} as a store`, () => {
    let store: Store;
    let reopen: StoreUnderTest["reopen"];

    beforeEach(async () => {
      ({ store, reopen } = await open());
    });
    afterEach(() => store.close());

    async function expectFull(from: Store): Promise<void> {
      const loaded = await from.load();
      const byId = <R extends { agent: string }>(a: R, b: R): number => (a.agent < b.agent ? 1 : -1);
      expect([...loaded.agents].sort((a, b) => (a.id < b.id ? -1 : 1))).toStrictEqual(FULL.agents);
      expect([...loaded.entries].sort(byId)).toStrictEqual(FULL.entries);
      expect(loaded.blind).toStrictEqual(FULL.blind);
      expect(loaded.cycles).toStrictEqual([FULL.cycles[1]]);
      expect(loaded.mark).toStrictEqual(FULL.mark);
      expect(loaded.unsettled).toStrictEqual([]);
      expect(loaded.kept).toStrictEqual([FULL.kept[0]]);
      expect(await from.kept("norm", ALL)).toStrictEqual(FULL.kept.toReversed());
      expect(await from.one("norm", NASTY)).toStrictEqual(FULL.kept[1]);
      expect(await from.beats("allegro", ALL)).toStrictEqual(FULL.beats.toReversed());
      expect(await from.flips("allegro", ALL)).toStrictEqual(FULL.flips.toReversed());
      expect(await from.cycles("allegro", ALL)).toStrictEqual(FULL.cycles.toReversed());
    }

    it("gives the beats since the last settled commit, in the order in which they were recorded", async () => {
      await store.commit({ beats: [beat("b1", T)], settled: true });
      await store.commit({ beats: [beat("b3", T + 3)] });
      await store.commit({ beats: [beat("b2", T + 2), beat("b1", T)] });
      expect(ids((await store.load()).unsettled)).toEqual(["b3", "b2"]);
      await store.commit({ beats: [beat("b4", T + 4)], settled: true });
      expect((await store.load()).unsettled).toEqual([]);
      await store.commit({ beats: [beat("b5", T + 5)] });
      expect(ids((await store.load()).unsettled)).toEqual(["b5"]);
    });

    it("gives the newest flips since a moment of some agents, agent by agent, oldest first", async () => {
      await store.commit({
        agents: [agent("b"), agent("a"), agent("other")],
        flips: [
          flip(T + 3, { agent: "b" }),
          flip(T + 9, { agent: "other" }),
          flip(T + 1, { agent: "b" }),
          flip(T - 1, { agent: "a" }),
          flip(T, { agent: "a" }),
          flip(T + 1, { agent: "b", to: "dead" }),
        ],
      });
      const found = async (most: number) =>
        (await store.flipsSince(T, ["a", "b"], most)).map(({ agent, at, to }) => [agent, at - T, to]);
      expect(await found(100)).toEqual([
        ["a", 0, "late"],
        ["b", 1, "late"],
        ["b", 1, "dead"],
        ["b", 3, "late"],
      ]);
      expect(await found(2)).toEqual([
        ["a", 0, "late"],
        ["b", 1, "dead"],
        ["b", 3, "late"],
      ]);
    });

    it("is empty at first, without a mark", async () => {
      expect(await store.load()).toStrictEqual({
        ...{ agents: [], entries: [], blind: [], cycles: [], kept: [], unsettled: [] },
      });
      expect(await store.beats("allegro", ALL)).toStrictEqual([]);
    });

    it("gives back exactly what was committed, absent fields absent, any text unharmed", async () => {
      await store.commit(FULL);
      await expectFull(store);
    });

    it("keeps what was committed for the next one that opens it, where it is durable", async (context) => {
      if (reopen === undefined) return context.skip("this store keeps nothing");
      await store.commit(FULL);
      await store.close();
      store = await reopen();
      await expectFull(store);
    });

    it("keeps nothing of a commit with one bad row, and goes on", async () => {
      const bad = { agents: [agent("allegro")], flips: [flip(T)], mark: { at: T, uptime: 1, bootId: "b" } };
      await expect(
        store.commit({ ...bad, beats: [beat("b1", T), beat("b2", Number.NaN)] }),
      ).rejects.toMatchObject({ name: "StoreError", code: "failed" });
      expect(await store.load()).toStrictEqual({
        ...{ agents: [], entries: [], blind: [], cycles: [], kept: [], unsettled: [] },
      });
      expect(await store.beats("allegro", ALL)).toStrictEqual([]);
      expect(await store.flips("allegro", ALL)).toStrictEqual([]);
      await store.commit({ beats: [beat("b1", T)] });
      expect(ids(await store.beats("allegro", ALL))).toStrictEqual(["b1"]);
    });

    it("refuses numbers that are not finite, unknown words and what belongs to nobody, and keeps nothing of it", async () => {
      await store.commit(FULL);
      for (const [why, changes] of REFUSED) {
        const bad = { beats: [beat("besides", T)], ...changes };
        await expect(store.commit(bad), why).rejects.toMatchObject({
          ...{ name: "StoreError", code: "failed", message: expect.stringContaining(why) },
        });
      }
      await expectFull(store);
    });

    it("records a beat that comes twice once, as it came first", async () => {
      await store.commit({ beats: [beat("b1", T), beat("b1", T)] });
      await store.commit({ beats: [beat("b1", T + 9, { status: "error" }), beat("b2", T + 1)] });
      expect(await store.beats("allegro", ALL)).toStrictEqual([beat("b2", T + 1), beat("b1", T)]);
    });

    it("records the beat of an agent although another agent used the same id, each once", async () => {
      const other = { agent: "presto" };
      await store.commit({ beats: [beat("b1", T), beat("b1", T + 1, other)] });
      await store.commit({ beats: [beat("b1", T + 2, other), beat("b1", T + 3)] });
      expect(await store.beats("allegro", ALL)).toStrictEqual([beat("b1", T)]);
      expect(await store.beats("presto", ALL)).toStrictEqual([beat("b1", T + 1, other)]);
      await store.prune({ beats: T + 1, flips: T });
      await store.commit({ beats: [beat("b1", T + 4, other)] });
      expect(await store.beats("presto", ALL)).toHaveLength(1);
    });

    it("replaces agents, entries, cycles and the mark by newer ones", async () => {
      await store.commit(FULL);
      const lastBeat = beat("b9", T + 9);
      const newer = {
        agents: [agent("allegro")],
        entries: [entry("allegro", { lastBeat })],
        cycles: [cycle(7, T + 1, { lastAt: T + 9 })],
        mark: { at: T + 9, uptime: 9, bootId: "other" },
      };
      await store.commit(newer);
      const loaded = await store.load();
      expect(loaded.agents).toHaveLength(2);
      expect(loaded.agents).toContainEqual(agent("allegro"));
      expect(loaded.entries).toHaveLength(2);
      expect(loaded.entries.find((found) => found.agent === "allegro")).toStrictEqual(newer.entries[0]);
      expect(loaded.cycles).toStrictEqual(newer.cycles);
      expect(loaded.mark).toStrictEqual(newer.mark);
    });

    it("pages newest first, and `before` leaves out what is as new", async () => {
      const times = [3, 1, 2, 5, 4];
      await store.commit({
        agents: [agent("allegro")],
        beats: times.map((n) => beat(`b${n}`, T + n)),
        flips: times.map((n) => flip(T + n)),
        cycles: times.map((n) => cycle(n, T + n)),
      });
      await store.commit({ beats: [beat("other", T, { agent: "other" })] });
      expect(ids(await store.beats("allegro", { limit: 2 }))).toStrictEqual(["b5", "b4"]);
      expect(ids(await store.beats("allegro", { limit: 2, before: T + 4 }))).toStrictEqual(["b3", "b2"]);
      expect(ids(await store.beats("allegro", { limit: 9, before: T + 2 }))).toStrictEqual(["b1"]);
      expect(ids(await store.beats("allegro", { limit: 1, before: T + 4, skip: 1 }))).toStrictEqual(["b2"]);
      expect(await store.beats("allegro", { limit: 9, before: T + 4, skip: 99 })).toStrictEqual([]);
      expect(await store.flips("allegro", { limit: 1, before: T + 4, skip: 99 })).toStrictEqual([]);
      expect(await store.cycles("allegro", { limit: 1, before: T + 4, skip: 99 })).toStrictEqual([]);
      expect(await store.beats("allegro", { limit: 0 })).toStrictEqual([]);
      expect((await store.flips("allegro", { limit: 2, before: T + 4 })).map(({ at }) => at - T)).toEqual([
        3, 2,
      ]);
      const cycles = await store.cycles("allegro", { limit: 2, before: T + 4 });
      expect(cycles.map(({ number }) => number)).toStrictEqual([3, 2]);
    });

    it("gives what came at the same time last committed first", async () => {
      await store.commit({
        agents: [agent("allegro")],
        beats: [beat("z", T), beat("a", T)],
        flips: [flip(T), flip(T, { to: "dead" })],
      });
      expect(ids(await store.beats("allegro", ALL))).toStrictEqual(["a", "z"]);
      expect((await store.flips("allegro", ALL)).map(({ to }) => to)).toStrictEqual(["dead", "late"]);
    });

    it("loads the cycle that began last, also when an agent counts from 1 again", async () => {
      await store.commit({
        agents: [agent("allegro"), agent("other")],
        cycles: [cycle(8, T), cycle(1, T + 5), cycle(9, T + 1), cycle(3, T, { agent: "other" })],
      });
      const { cycles } = await store.load();
      expect(new Set(cycles)).toStrictEqual(new Set([cycle(1, T + 5), cycle(3, T, { agent: "other" })]));
    });

    it("loads the newest 256 spans that were not watched, oldest first", async () => {
      const span = (n: number): BlindSpan => ({ from: T + 10 * n, to: T + 10 * n + 5, cause: "lag" });
      const spans = Array.from({ length: 300 }, (_, n) => span(n));
      await store.commit({ blind: spans.toReversed() });
      expect((await store.load()).blind).toStrictEqual(spans.slice(-256));
    });

    it("takes a removed agent off the roll and keeps its history", async () => {
      await store.commit(FULL);
      await store.commit({ removed: ["allegro", "never-there"] });
      const loaded = await store.load();
      expect(loaded.agents.map(({ id }) => id)).toStrictEqual(["nightly@host-2"]);
      expect(loaded.entries.map((found) => found.agent)).toStrictEqual(["nightly@host-2"]);
      expect(loaded.cycles).toStrictEqual([]);
      expect(await store.beats("allegro", ALL)).toHaveLength(2);
      expect(await store.flips("allegro", ALL)).toHaveLength(2);
      expect(await store.cycles("allegro", ALL)).toHaveLength(2);
    });

    it("has an agent that one commit removes and adds", async () => {
      await store.commit(FULL);
      await store.commit({ removed: ["allegro"], agents: [agent("allegro")], entries: [entry("allegro")] });
      const loaded = await store.load();
      expect(loaded.agents).toContainEqual(agent("allegro"));
      expect(loaded.entries).toContainEqual(entry("allegro"));
    });

    it("pages what is kept by kind, by what it is about and by whether it is open, and replaces it by id", async () => {
      const times = [3, 1, 2, 5, 4];
      await store.commit({
        kept: times.map((n) => kept(`k${n}`, T + n, { about: n % 2 === 0 ? "even" : "odd" })),
      });
      await store.commit({ kept: [kept("k3", T + 3, { about: "odd", open: false })] });
      const found = async (page: KeptPage) => (await store.kept("norm", page)).map(({ id }) => id);
      expect(await found({ limit: 2 })).toStrictEqual(["k5", "k4"]);
      expect(await found({ limit: 9, before: T + 4 })).toStrictEqual(["k3", "k2", "k1"]);
      expect(await found({ limit: 9, about: "odd" })).toStrictEqual(["k5", "k3", "k1"]);
      expect(await found({ limit: 9, open: true })).toStrictEqual(["k5", "k4", "k2", "k1"]);
      expect(await found({ limit: 1, about: "odd", open: true, before: T + 5 })).toStrictEqual(["k1"]);
      expect((await store.load()).kept.map(({ id }) => id)).toStrictEqual(["k1", "k2", "k4", "k5"]);
      expect(await store.one("norm", "never")).toBeUndefined();
    });

    it("pages what is kept by a cursor, also among what has the same time", async () => {
      const order = ["c", "b", "a"].flatMap((id) => [`${id}2`, `${id}1`]);
      await store.commit({ kept: order.map((id) => kept(id, T)) });
      await store.commit({ kept: [kept("new", T + 1), kept("old", T - 1)] });
      const read: string[] = [];
      let after: KeptPage["after"];
      for (;;) {
        const page = await store.kept("norm", { limit: 3, ...(after === undefined ? {} : { after }) });
        read.push(...page.map(({ id }) => id));
        after = page.at(-1);
        if (after === undefined) break;
      }
      expect(read).toStrictEqual(["new", ...order, "old"]);
    });

    it("chooses what is kept by its id and by what stands in it before it pages", async () => {
      const about = (id: string, at: number, more: object) =>
        kept(id, at, { body: { ...newNorm("p", at), ...more } });
      await store.commit({
        kept: [
          about("x:1", T, { mood: "calm" }),
          about("x:2", T + 1, { mood: "calm", note: { by: "ada" } }),
          ...Array.from({ length: 60 }, (_, n) => about(`y:${n}`, T + 2 + n, { mood: "busy" })),
          about(`x${NASTY}:1`, T + 99, { note: "yes" }),
        ],
      });
      const found = async (page: Omit<KeptPage, "limit">) =>
        (await store.kept("norm", { limit: 3, ...page })).map(({ id }) => id);
      expect(await found({ where: { mood: "calm" } })).toStrictEqual(["x:2", "x:1"]);
      expect(await found({ where: { mood: "calm", note: null } })).toStrictEqual(["x:1"]);
      expect(await found({ where: { note: true } })).toStrictEqual([`x${NASTY}:1`, "x:2"]);
      expect(await found({ open: true, about: "painters", where: { mood: null } })).toStrictEqual([
        `x${NASTY}:1`,
      ]);
      expect(await found({ idPrefix: "x:" })).toStrictEqual(["x:2", "x:1"]);
      expect(await found({ idPrefix: "x:", before: T + 1 })).toStrictEqual(["x:1"]);
      expect(await found({ idPrefix: `x${NASTY}` })).toStrictEqual([`x${NASTY}:1`]);
    });

    it("forgets what is kept and old, but never what is open", async () => {
      await store.commit({
        kept: [kept("open", T), kept("old", T, { open: false }), kept("new", T + 9, { open: false })],
      });
      await store.prune({ beats: T + 9, flips: T + 9 });
      expect((await store.kept("norm", ALL)).map(({ id }) => id)).toStrictEqual(["new", "open"]);
    });

    it("forgets what is older by age, of every agent, and counts it", async () => {
      const many = Array.from({ length: 3000 }, (_, n) => beat(`x${n}`, T + n, { agent: `agent-${n % 7}` }));
      await store.commit({
        agents: [agent("allegro"), agent("removed-long-ago")],
        beats: [beat("old", T), beat("edge", T + 2500), ...many],
        flips: [flip(T), flip(T + 1), flip(T + 50), flip(T + 60, { agent: "removed-long-ago" })],
        cycles: [cycle(1, T), cycle(2, T + 1), cycle(1, T, { agent: "removed-long-ago" })],
        blind: [
          { from: T, to: T + 49, cause: "lag" },
          { from: T + 49, to: T + 50, cause: "lag" },
        ],
      });
      await store.commit({ removed: ["removed-long-ago"] });
      expect(await store.prune({ beats: T + 2500, flips: T + 50 })).toStrictEqual({ beats: 2501, flips: 2 });
      expect(ids(await store.beats("allegro", ALL))).toStrictEqual(["edge"]);
      expect(await store.beats("agent-3", ALL)).toHaveLength(72);
      expect((await store.flips("allegro", ALL)).map(({ at }) => at)).toStrictEqual([T + 50]);
      expect(await store.flips("removed-long-ago", ALL)).toHaveLength(1);
      expect(await store.cycles("allegro", ALL)).toStrictEqual([cycle(2, T + 1)]);
      expect(await store.cycles("removed-long-ago", ALL)).toStrictEqual([]);
      expect((await store.load()).blind).toStrictEqual([{ from: T + 49, to: T + 50, cause: "lag" }]);
      expect(await store.prune({ beats: T + 2500, flips: T + 50 })).toStrictEqual({ beats: 0, flips: 0 });
    });

    it("takes 10,000 beats in one commit", async () => {
      const beats = Array.from({ length: 10_000 }, (_, n) => beat(`b${n}`, T + n, { message: `${n}` }));
      await store.commit({ beats });
      expect(await store.beats("allegro", ALL)).toStrictEqual(beats.toReversed());
    });

    it("applies concurrent commits in the order of the calls, and what is read after them sees them", async () => {
      const numbers = Array.from({ length: 50 }, (_, n) => n);
      const commits = numbers.map((n) => store.commit({ mark: { at: T + n, uptime: n, bootId: "b" } }));
      const loaded = store.load();
      const last = store.commit({ mark: { at: T + 99, uptime: 99, bootId: "b" } });
      expect((await loaded).mark?.uptime).toBe(49);
      await Promise.all([...commits, last]);
      expect((await store.load()).mark?.uptime).toBe(99);
    });

    it("keeps what was stored from whoever changes what they gave or got", async () => {
      const given = { ...beat("b1", T), incarnation: { ...incarnation } };
      const committed = store.commit({
        agents: [agent("allegro")],
        beats: [given],
        entries: [entry("allegro", { lastBeat: given })],
      });
      given.incarnation.pid = 1;
      await committed;
      const [got] = await store.beats("allegro", ALL);
      expect(got?.incarnation?.pid).toBe(4711);
      expect(got !== undefined && (Object.isFrozen(got) || Reflect.set(got, "status", "error"))).toBe(true);
      expect((await store.beats("allegro", ALL))[0]?.status).toBe("ok");
      expect((await store.load()).entries[0]?.lastBeat?.incarnation?.pid).toBe(4711);
    });

    it("refuses everything once it is closed, also when it is closed twice", async () => {
      const before = store.commit({ beats: [beat("b1", T)] });
      const closing = store.close();
      const late = store.commit({ beats: [beat("b2", T)] });
      await expect(late).rejects.toMatchObject({ name: "StoreError", code: "closed" });
      await before;
      await closing;
      await store.close();
      await expect(store.load()).rejects.toMatchObject({ code: "closed" });
      await expect(store.beats("allegro", ALL)).rejects.toMatchObject({ code: "closed" });
      await expect(store.prune({ beats: T, flips: T })).rejects.toMatchObject({ code: "closed" });
    });
  });
}
