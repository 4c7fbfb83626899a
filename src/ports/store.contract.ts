import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Run } from "../core/action/state.ts";
import type { Agent } from "../core/agent.ts";
import type { Beat } from "../core/beat.ts";
import type { Cycle } from "../core/cycle/cycle.ts";
import type { Delivery } from "../core/delivery/delivery.ts";
import type { HostEntry, HostFact } from "../core/host/fact.ts";
import type { Incident } from "../core/incident/incident.ts";
import type { BlindSpan } from "../core/liveness/trust.ts";
import type { Flip } from "../core/liveness/verdict.ts";
import type { FiledIssue } from "../core/rca/filed-issue.ts";
import type { Recovery } from "../core/recovery/recovery.ts";
import { newNorm } from "../core/rhythm/norm.ts";
import { activity } from "../core/rhythm/rhythm.ts";
import { REMEMBERED_IDS } from "./commit.ts";
import {
  type Cursor,
  type CursorPage,
  cursorOf,
  type RecordQuery,
  type StoredRecord,
} from "./repositories.ts";
import type { Changes, RollEntry, Store } from "./store.ts";

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
const record = (id: string, at: number, more: Partial<StoredRecord<"norm">> = {}): StoredRecord<"norm"> => ({
  kind: "norm",
  id,
  at,
  about: "painters",
  current: true,
  body: { ...newNorm(NASTY, at), falseAlarms: at - T },
  ...more,
});
const incident = (id: string, openedAt: number, more: Partial<Incident> = {}): Incident => ({
  ...{
    id,
    kind: "agent",
    subject: "allegro",
    group: "default",
    state: "dead",
    reason: "no-beat",
    why: NASTY,
  },
  ...{ severity: "critical", since: openedAt, noticedAt: openedAt, openedAt, episodes: [openedAt] },
  ...{ flapping: false, change: 1, told: {} },
  ...more,
});
const over = (at: number): Partial<Incident> => ({ resolved: { at, how: "recovered", why: "back" } });
const delivery = (key: string, createdAt: number, more: Partial<Delivery> = {}): Delivery => ({
  ...{ key, to: "ops", about: "allegro", createdAt, dueAt: createdAt, state: "sent", attempts: 1 },
  message: { severity: "critical", title: NASTY, lines: [] },
  ...more,
});
const recovery = (id: string, plannedAt: number, more: Partial<Recovery> = {}): Recovery => ({
  ...{ id, incident: "i", agent: "allegro", do: "restart", step: 0, state: "done", why: NASTY, plannedAt },
  aim: { state: "dead", reason: "no-beat" },
  ...more,
});
const run = (id: string, dueAt: number, more: Partial<Run> = {}): Run => ({
  ...{ action: "scan", id, dueAt, outcome: "done" },
  ...more,
});
const issue = (key: string, createdAt: number, more: Partial<FiledIssue> = {}): FiledIssue => ({
  ...{ key, marker: "m", number: 7, url: "https://git.example/7", createdAt, agent: "allegro", nextAt: null },
  ...{ followed: [], recovered: false, closed: false },
  ...more,
});
const incarnation = { pid: 4711, startTime: "18446744073709551615", bootId: "3f1c" };
const hostEntry = (id: string, more: Partial<HostEntry> = {}): HostEntry => ({
  ...{ id, state: "alive", reason: "beat", why: NASTY, since: T },
  ...more,
});
const ids = (beats: readonly Beat[]): string[] => beats.map(({ id }) => id);

/** Everything at once, every optional field present in one row and absent in another. */
export const FULL: Required<Changes> = {
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
  incidents: [
    { incident: incident("i1", T, { subject: NASTY }), ofInterest: true },
    { incident: incident(NASTY, T + 1, { ...over(T + 2), spokenForBy: NASTY }), ofInterest: false },
  ],
  deliveries: [
    delivery("d1", T, { state: "sending" }),
    delivery(NASTY, T + 1, { to: NASTY, incident: NASTY, problem: NASTY, endedAt: T + 2 }),
  ],
  recoveries: [
    { recovery: recovery("r1", T), counts: true },
    { recovery: recovery(NASTY, T + 1, { startedAt: T, endedAt: T + 2, mayBeDone: true }), counts: false },
  ],
  runs: [run("u1", T), run(NASTY, T + 1, { message: NASTY, metadata: { n: [1, NASTY] } })],
  issues: [
    issue("s1", T),
    issue(NASTY, T + 1, { incident: "i1", month: "2026-03", nextAt: T, closed: true }),
  ],
  records: [record("a", T), record(NASTY, T + 1, { about: NASTY, current: false })],
  outgoing: [
    { k: "hello", at: T, agents: ["allegro"] },
    { k: "entry", at: T + 1, entry: hostEntry("allegro", { action: NASTY, cycle: 7 }) },
  ],
  mark: { at: T + 3, uptime: 12_345.5, bootId: "3f1c" },
  flushed: true,
};

const verdict = (more: object) => ({
  standing: { since: T, verdict: { ...entry("").standing.verdict, ...more } },
});
const incidentWith = (more: object) => ({
  incidents: [{ incident: { ...incident("i1", T), ...more } as Incident, ofInterest: true }],
});
const deliveryWith = (more: object) => ({ deliveries: [{ ...delivery("d1", T), ...more } as Delivery] });
const recoveryWith = (more: object) => ({
  recoveries: [{ recovery: { ...recovery("r1", T), ...more } as Recovery, counts: true }],
});

const NOTHING = {
  ...{ number: 0, agents: [], entries: [], blind: [], cycles: [], unflushed: [] },
  ...{ incidents: [], deliveries: [], recoveries: [], records: [] },
};

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
  ["has since NaN", incidentWith({ since: Number.NaN })],
  ['the incident of "i1" has the unknown state "well"', incidentWith({ state: "well" })],
  ['the incident of "i1" has the unknown kind "host"', incidentWith({ kind: "host" })],
  ['the delivery of "d1" has dueAt NaN', deliveryWith({ dueAt: Number.NaN })],
  ['the delivery of "d1" has the unknown state "lost"', deliveryWith({ state: "lost" })],
  ['the recovery of "r1" has plannedAt NaN', recoveryWith({ plannedAt: Number.NaN })],
  ['the recovery of "r1" has the unknown state "lost"', recoveryWith({ state: "lost" })],
  ['the run of "u" has dueAt Infinity', { runs: [run("u", Number.POSITIVE_INFINITY)] }],
  [
    'the run of "u" has the unknown outcome "fine"',
    { runs: [run("u", T, { outcome: "fine" as Run["outcome"] })] },
  ],
  ['the issue of "s" has number NaN', { issues: [issue("s", T, { number: Number.NaN })] }],
  [
    "has body.margin NaN",
    { records: [record("a", T, { body: { ...newNorm("p", T), margin: Number.NaN } })] },
  ],
  ['unknown kind "thing"', { records: [{ ...record("a", T), kind: "thing" } as unknown as StoredRecord] }],
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
      expect(loaded.unflushed).toStrictEqual([]);
      const incidents = FULL.incidents.map(({ incident }) => incident);
      expect(loaded.incidents).toStrictEqual([incidents[0]]);
      expect(await from.incidents.page(ALL)).toStrictEqual(incidents.toReversed());
      expect(await from.incidents.page({ ...ALL, subject: NASTY })).toStrictEqual([incidents[0]]);
      expect(await from.incidents.one(NASTY)).toStrictEqual(incidents[1]);
      expect(loaded.deliveries).toStrictEqual([FULL.deliveries[0]]);
      expect(await from.deliveries.page(ALL)).toStrictEqual(FULL.deliveries.toReversed());
      expect(await from.deliveries.page({ ...ALL, to: NASTY, incident: NASTY })).toStrictEqual([
        FULL.deliveries[1],
      ]);
      expect(await from.deliveries.one(NASTY)).toStrictEqual(FULL.deliveries[1]);
      const recoveries = FULL.recoveries.map(({ recovery }) => recovery);
      expect(loaded.recoveries).toStrictEqual([recoveries[0]]);
      expect(await from.recoveries.page({ ...ALL, agent: "allegro" })).toStrictEqual(recoveries.toReversed());
      expect(await from.runs.page({ ...ALL, action: "scan" })).toStrictEqual(FULL.runs.toReversed());
      expect(await from.issues.page(ALL)).toStrictEqual(FULL.issues.toReversed());
      expect(await from.issues.one(NASTY)).toStrictEqual(FULL.issues[1]);
      expect(loaded.records).toStrictEqual([FULL.records[0]]);
      expect(await from.records.page("norm", ALL)).toStrictEqual(FULL.records.toReversed());
      expect(await from.records.one("norm", NASTY)).toStrictEqual(FULL.records[1]);
      expect(await from.beats("allegro", ALL)).toStrictEqual(FULL.beats.toReversed());
      expect(await from.flips("allegro", ALL)).toStrictEqual(FULL.flips.toReversed());
      expect(await from.cycles("allegro", ALL)).toStrictEqual(FULL.cycles.toReversed());
    }

    it("loads one agent as it loads all of them, without the others", async () => {
      await store.commit({ ...FULL, flushed: true });
      await store.commit({ beats: [beat("b8", T + 8), { ...beat("b9", T + 9), agent: "other" }] });
      const all = await store.load();
      for (const id of [...all.agents.map((agent) => agent.id), "nobody"]) {
        const own = <R extends { agent: string }>(rows: readonly R[]) =>
          rows.filter(({ agent }) => agent === id);
        expect(await store.loadAgent(id)).toStrictEqual({
          agents: all.agents.filter((agent) => agent.id === id),
          entries: own(all.entries),
          blind: all.blind,
          cycles: own(all.cycles),
          records: [],
          unflushed: own(all.unflushed),
        });
      }
    });

    it("gives the beats since the last flushed commit, in the order in which they were recorded", async () => {
      await store.commit({ beats: [beat("b1", T)], flushed: true });
      await store.commit({ beats: [beat("b3", T + 3)] });
      await store.commit({ beats: [beat("b2", T + 2), beat("b1", T)] });
      expect(ids((await store.load()).unflushed)).toEqual(["b3", "b2"]);
      await store.commit({ beats: [beat("b4", T + 4)], flushed: true });
      expect((await store.load()).unflushed).toEqual([]);
      await store.commit({ beats: [beat("b5", T + 5)] });
      expect(ids((await store.load()).unflushed)).toEqual(["b5"]);
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

    it("adds up how long some agents were in each state, and counts the beats of one, part by part", async () => {
      await store.commit({
        agents: [agent("allegro"), agent("b"), agent("other")],
        beats: [beat("b1", T), beat("b2", T + 9), beat("b3", T + 10)],
        flushed: true,
        flips: [
          flip(T + 12, { from: "late", to: "alive" }),
          flip(T + 4, { from: "alive", to: "late" }),
          flip(T + 30, { from: "alive", to: "dead" }),
          flip(T - 1, { agent: "b" }),
        ],
      });
      await store.commit({ beats: [beat("b4", T + 25), beat("b5", T + 40), beat("b6", T - 1)] });
      const cuts = { from: T, until: T + 26, width: 10 };
      expect(await store.stateTimes(["b", "allegro", "nobody"], cuts)).toEqual([
        undefined,
        [{ alive: 4, late: 6 }, { late: 2, alive: 8 }, { alive: 6 }],
        undefined,
      ]);
      expect(await store.beatCounts("allegro", cuts)).toEqual([2, 1, 1]);
      expect(await store.beatCounts("b", cuts)).toEqual([0, 0, 0]);
    });

    it("gives the last mark alone, as a snapshot has it", async () => {
      expect(await store.lastMark()).toBeUndefined();
      await store.commit({ ...FULL, flushed: true });
      expect(await store.lastMark()).toStrictEqual(FULL.mark);
      const mark = { at: T + 9, uptime: 9, bootId: "other" };
      await store.commit({ mark });
      await store.commit({ beats: [beat("b8", T + 8)] });
      expect(await store.lastMark()).toStrictEqual(mark);
    });

    it("is empty at first, without a mark", async () => {
      expect(await store.load()).toStrictEqual(NOTHING);
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
      expect(await store.load()).toStrictEqual(NOTHING);
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

    /** Reads a list to its end, page by page. */
    async function readAll<T>(
      list: (page: CursorPage) => Promise<readonly T[]>,
      position: (item: T) => Cursor,
    ): Promise<string[]> {
      const read: string[] = [];
      let after: Cursor | undefined;
      for (;;) {
        const page = await list({ limit: 3, after });
        read.push(...page.map((item) => position(item).id));
        const last = page.at(-1);
        if (last === undefined) return read;
        after = position(last);
      }
    }

    it("pages every list by a cursor, also among what has the same time", async () => {
      const order = ["c", "b", "a"].flatMap((id) => [`${id}2`, `${id}1`]);
      const make = <T>(one: (id: string, at: number) => T) => [
        ...order.map((id) => one(id, T)),
        one("new", T + 1),
        one("old", T - 1),
      ];
      await store.commit({
        incidents: make((id, at) => ({ incident: incident(id, at), ofInterest: true })),
        deliveries: make(delivery),
        recoveries: make((id, at) => ({ recovery: recovery(id, at), counts: true })),
        runs: [...make(run), run("x", T, { action: "other" })],
        issues: make(issue),
        records: [...make(record), { ...record("x", T), kind: "silence" } as unknown as StoredRecord],
      });
      const agent = "allegro";
      const read = [
        await readAll((page) => store.incidents.page(page), cursorOf.incident),
        await readAll((page) => store.deliveries.page({ ...page, to: "ops" }), cursorOf.delivery),
        await readAll((page) => store.recoveries.page({ ...page, agent }), cursorOf.recovery),
        await readAll((page) => store.runs.page({ ...page, action: "scan" }), cursorOf.run),
        await readAll((page) => store.issues.page({ ...page, state: "open" }), cursorOf.issue),
        await readAll((page) => store.records.page("norm", page), cursorOf.record),
      ];
      expect(read).toStrictEqual(read.map(() => ["new", ...order, "old"]));
      const between = { limit: 9, before: T + 1, since: T };
      expect((await store.incidents.page(between)).map(({ id }) => id)).toStrictEqual(order);
      expect((await store.deliveries.page(between)).map(({ key }) => key)).toStrictEqual(order);
    });

    it("finds incidents by subject, state, kind and group, before it pages, and replaces them by id", async () => {
      const many = Array.from({ length: 60 }, (_, n) => incident(`m${n}`, T + 10 + n, { spokenForBy: "g" }));
      const all = [
        incident("g", T, { kind: "group", subject: "painters" }),
        incident("h", T + 1, { kind: "reboot", subject: "pallas", ...over(T + 1) }),
        incident("a", T + 2),
        incident("b", T + 3, over(T + 9)),
        ...many,
      ];
      await store.commit({ incidents: all.map((each) => ({ incident: each, ofInterest: true })) });
      await store.commit({ incidents: [{ incident: incident("a", T + 2, over(T + 5)), ofInterest: false }] });
      const found = async (query: Omit<Parameters<typeof store.incidents.page>[0], "limit">) =>
        (await store.incidents.page({ limit: 3, ...query })).map(({ id }) => id);
      expect(await found({ state: "over" })).toStrictEqual(["b", "a", "h"]);
      expect(await found({ state: "open", grouped: true })).toStrictEqual(["g"]);
      expect(await found({ grouped: true })).toStrictEqual(["b", "a", "h"]);
      expect(await found({ kind: "group", state: "open" })).toStrictEqual(["g"]);
      expect(await found({ kind: "reboot" })).toStrictEqual(["h"]);
      expect(await found({ grouped: true, openSince: T + 5 })).toStrictEqual(["b", "a", "g"]);
      expect(await found({ state: "over", openSince: T + 6 })).toStrictEqual(["b"]);
      const lost = { subject: "rollcall@web1", reason: "host-out-of-contact" } as const;
      const ofHosts = [
        incident("w1", T + 200, { subject: "bot@web1", host: "web1" }),
        incident("w2", T + 201, { subject: "bot@web2", host: "web2" }),
        incident("w3", T + 202, { ...lost, ...over(T + 203) }),
      ];
      await store.commit({ incidents: ofHosts.map((each) => ({ incident: each, ofInterest: false })) });
      expect(await found({ host: "web1" })).toStrictEqual(["w3", "w1"]);
      expect(await found({ host: "web1", state: "open" })).toStrictEqual(["w1"]);
      expect(await found({ host: "web3" })).toStrictEqual([]);
      expect(await found({ subject: "allegro", before: T + 10 })).toStrictEqual(["b", "a"]);
      expect(await found({ subject: "allegro", state: "open", kind: "group" })).toStrictEqual([]);
      expect(await store.incidents.one("never")).toBeUndefined();
      const { incidents } = await store.load();
      expect(incidents.slice(0, 4).map(({ id }) => id)).toStrictEqual(["g", "h", "b", "m0"]);
    });

    it("finds deliveries by channel, incident and state, and counts those that are under way", async () => {
      const states = ["pending", "sending", "sent", "refused", "expired", "superseded"] as const;
      await store.commit({
        deliveries: [
          ...states.map((state, n) => delivery(state, T + n, { state, incident: "i1" })),
          delivery("mail", T + 9, { to: "mail", incident: "i10" }),
          delivery("none", T + 10, { to: "mail", state: "pending" }),
        ],
      });
      const found = async (query: Omit<Parameters<typeof store.deliveries.page>[0], "limit">) =>
        (await store.deliveries.page({ limit: 4, ...query })).map(({ key }) => key);
      expect(await found({ state: "under-way" })).toStrictEqual(["none", "sending", "pending"]);
      expect(await found({ state: "ended" })).toStrictEqual(["mail", "expired", "refused", "sent"]);
      expect(await found({ state: "ended", to: "ops", since: T + 3 })).toStrictEqual(["expired", "refused"]);
      expect(await found({ to: "mail" })).toStrictEqual(["none", "mail"]);
      expect(await found({ incident: "i1" })).toStrictEqual(["superseded", "expired", "refused", "sent"]);
      expect(await found({ incident: "i1", state: "under-way" })).toStrictEqual(["sending", "pending"]);
      expect(await store.deliveries.underWay()).toBe(3);
      await store.commit({ deliveries: [delivery("pending", T, { incident: "i2" })] });
      expect(await store.deliveries.underWay()).toBe(2);
      expect(await found({ incident: "i2" })).toStrictEqual(["pending"]);
      expect((await store.load()).deliveries.map(({ key }) => key)).toStrictEqual(["sending", "none"]);
      expect(await store.deliveries.one("never")).toBeUndefined();
    });

    it("finds recoveries by agent and loads those that count", async () => {
      const change = (id: string, at: number, counts: boolean, agent = "allegro") => ({
        ...{ recovery: recovery(id, at, { agent }), counts },
      });
      await store.commit({
        recoveries: [change("a", T, true), change("b", T + 1, true), change("x", T + 2, true, "other")],
      });
      await store.commit({ recoveries: [change("b", T + 1, false)] });
      const found = await store.recoveries.page({ limit: 9, agent: "allegro" });
      expect(found.map(({ id }) => id)).toStrictEqual(["b", "a"]);
      expect((await store.load()).recoveries.map(({ id }) => id)).toStrictEqual(["a", "x"]);
      expect(await store.recoveries.one("b")).toStrictEqual(change("b", T + 1, false).recovery);
      expect(await store.recoveries.one("never")).toBeUndefined();
    });

    it("finds runs by action, and replaces one with its action and id", async () => {
      const other = { action: "scan it" };
      await store.commit({ runs: [run("u", T), run("u", T, other), run("v", T + 1, other)] });
      await store.commit({ runs: [run("u", T, { ...other, outcome: "crashed" })] });
      expect(await store.runs.page({ limit: 9, action: "scan it" })).toStrictEqual([
        run("v", T + 1, other),
        run("u", T, { ...other, outcome: "crashed" }),
      ]);
      expect(await store.runs.page({ limit: 9, action: "scan" })).toStrictEqual([run("u", T)]);
    });

    it("finds issues by state and month, and replaces them by key", async () => {
      const march = { month: "2026-03" };
      await store.commit({ issues: [issue("a", T), issue("b", T + 1, march), issue("c", T + 2, march)] });
      await store.commit({ issues: [issue("b", T + 1, { ...march, closed: true })] });
      const found = async (query: Omit<Parameters<typeof store.issues.page>[0], "limit">) =>
        (await store.issues.page({ limit: 9, ...query })).map(({ key }) => key);
      expect(await found({ state: "open" })).toStrictEqual(["c", "a"]);
      expect(await found({ state: "closed" })).toStrictEqual(["b"]);
      expect(await found({ month: "2026-03" })).toStrictEqual(["c", "b"]);
      expect(await found({ month: "2026-03", state: "open" })).toStrictEqual(["c"]);
      expect(await store.issues.one("never")).toBeUndefined();
    });

    it("pages records by kind, by what they are about and by whether they are current, and replaces them by id", async () => {
      const times = [3, 1, 2, 5, 4];
      await store.commit({
        records: times.map((n) => record(`k${n}`, T + n, { about: n % 2 === 0 ? "even" : "odd" })),
      });
      await store.commit({ records: [record("k3", T + 3, { about: "odd", current: false })] });
      const found = async (page: RecordQuery) => (await store.records.page("norm", page)).map(({ id }) => id);
      expect(await found({ limit: 2 })).toStrictEqual(["k5", "k4"]);
      expect(await found({ limit: 9, before: T + 4 })).toStrictEqual(["k3", "k2", "k1"]);
      expect(await found({ limit: 9, about: "odd" })).toStrictEqual(["k5", "k3", "k1"]);
      expect(await found({ limit: 9, current: true })).toStrictEqual(["k5", "k4", "k2", "k1"]);
      expect(await found({ limit: 1, about: "odd", current: true, before: T + 5 })).toStrictEqual(["k1"]);
      expect((await store.load()).records.map(({ id }) => id)).toStrictEqual(["k1", "k2", "k4", "k5"]);
      expect(await store.records.one("norm", "never")).toBeUndefined();
    });

    it("forgets what is over and old, but never what is of interest, under way, counts, is open or current", async () => {
      const one = (ofInterest: boolean, each: Incident) => ({ incident: each, ofInterest });
      const step = (counts: boolean, each: Recovery) => ({ recovery: each, counts });
      await store.commit({
        incidents: [
          one(true, incident("kept", T)),
          one(false, incident("old", T)),
          one(false, incident("new", T + 9)),
        ],
        deliveries: [delivery("kept", T, { state: "pending" }), delivery("old", T), delivery("new", T + 9)],
        recoveries: [
          step(true, recovery("kept", T)),
          step(false, recovery("old", T)),
          step(false, recovery("new", T + 9)),
        ],
        runs: [run("old", T), run("new", T + 9)],
        issues: [issue("kept", T), issue("old", T, { closed: true }), issue("new", T + 9, { closed: true })],
        records: [
          record("kept", T),
          record("old", T, { current: false }),
          record("new", T + 9, { current: false }),
        ],
      });
      await store.prune({ beats: T + 9, flips: T + 9 });
      const left = [
        (await store.incidents.page(ALL)).map(({ id }) => id),
        (await store.deliveries.page(ALL)).map(({ key }) => key),
        (await store.recoveries.page({ ...ALL, agent: "allegro" })).map(({ id }) => id),
        ["kept", ...(await store.runs.page({ ...ALL, action: "scan" })).map(({ id }) => id)].sort().reverse(),
        (await store.issues.page(ALL)).map(({ key }) => key),
        (await store.records.page("norm", ALL)).map(({ id }) => id),
      ];
      expect(left).toStrictEqual(left.map(() => ["new", "kept"]));
    });

    it("numbers its commits, and says what each after a number changed", async () => {
      expect(await store.commit({ agents: [agent("allegro")] })).toBe(1);
      expect(await store.commit(FULL)).toBe(2);
      await expect(store.commit({ beats: [beat("b", Number.NaN)] })).rejects.toThrow("NaN");
      expect(await store.commit({ removed: ["allegro"] })).toBe(3);
      expect(await store.commit({})).toBe(4);
      const since = await store.changesSince(0, 9);
      expect(since).toStrictEqual([
        { number: 1, changed: { agents: ["allegro"] } },
        {
          number: 2,
          changed: {
            ...{ agents: ["allegro", "nightly@host-2"], flips: ["allegro"], incidents: ["i1", NASTY] },
            ...{ deliveries: ["d1", NASTY], recoveries: ["r1", NASTY], runs: ["scan"] },
            ...{ issues: ["s1", NASTY], norm: ["a", NASTY] },
          },
        },
        { number: 3, changed: { removed: ["allegro"] } },
        { number: 4, changed: {} },
      ]);
      expect(await store.changesSince(1, 2)).toStrictEqual(since.slice(1, 3));
      expect(await store.changesSince(4, 9)).toStrictEqual([]);
      expect(await store.changesSince(5, 9)).toBe("too-old");
      expect((await store.load()).number).toBe(4);
      if (reopen === undefined) return;
      await store.close();
      store = await reopen();
      expect((await store.load()).number).toBe(4);
      expect(await store.commit({})).toBe(5);
      expect(await store.changesSince(0, 2)).toStrictEqual(since.slice(0, 2));
    });

    it("remembers the newest changes only, and says when somebody asks for older ones", async () => {
      const removed = Array.from({ length: REMEMBERED_IDS / 2 }, (_, n) => `never-there-${n}`);
      await store.commit({ agents: [agent("first")] });
      for (let n = 0; n < 3; n++) await store.commit({ removed, flushed: true });
      await store.commit({ flushed: true });
      expect(await store.changesSince(0, 1)).toBe("too-old");
      expect(await store.changesSince(1, 1)).toBe("too-old");
      const newest = await store.changesSince(3, 9);
      expect(newest === "too-old" ? newest : newest.map(({ number }) => number)).toStrictEqual([4, 5]);
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

    describe("the facts for a hub", () => {
      const entryFact = (id: string, at: number): HostFact => ({
        k: "entry",
        at,
        entry: hostEntry(id, { since: at }),
      });
      const flipFact = (id: string, at: number): HostFact => ({
        k: "flip",
        at,
        entry: hostEntry(id, { since: at }),
      });
      const waiting = async (after = 0) =>
        (await store.outgoing.after(after, 1 << 20)).map(({ seq, fact }) => [seq, fact.at]);

      it("are there with the commit that they tell of, in order, after a number", async () => {
        await store.outgoing.renew("spool-1");
        await store.commit({
          agents: [agent("a"), agent("b")],
          outgoing: [flipFact("a", T), entryFact("b", T + 1)],
        });
        await expect(
          store.commit({ outgoing: [flipFact("a", T + 2)], flips: [flip(T, { agent: "nobody" })] }),
        ).rejects.toMatchObject({ code: "failed" });
        await store.commit({ outgoing: [flipFact("a", T + 3)] });
        expect((await waiting()).map(([, at]) => at)).toStrictEqual([T, T + 1, T + 3]);
        const [first] = await waiting();
        expect((await waiting(first?.[0])).map(([, at]) => at)).toStrictEqual([T + 1, T + 3]);
        expect(await store.outgoing.spool()).toMatchObject({ id: "spool-1", facts: 3 });
      });

      it("of entries only the newest of an agent waits, and no flip is ever replaced", async () => {
        await store.commit({ outgoing: [entryFact("a", T), flipFact("a", T + 1), entryFact("b", T + 2)] });
        await store.commit({
          outgoing: [entryFact("a", T + 3), flipFact("a", T + 4), entryFact("b", T + 5)],
        });
        expect((await waiting()).map(([, at]) => at)).toStrictEqual([T + 1, T + 4, T + 5]);
      });

      it("are kept for a while after they were acknowledged, and then forgotten", async () => {
        await store.commit({ outgoing: [flipFact("a", T), flipFact("a", T + 1), flipFact("a", T + 2)] });
        await store.outgoing.forget(2, T + 1);
        expect(await waiting()).toStrictEqual([
          [2, T + 1],
          [3, T + 2],
        ]);
        expect(await store.outgoing.spool()).toMatchObject({ facts: 1, last: 3, forgotten: 1 });
      });

      it("are forgotten in their order, also where the clock was set back", async () => {
        await store.commit({ outgoing: [flipFact("a", T), flipFact("a", T + 9), flipFact("a", T + 1)] });
        await store.outgoing.forget(3, T + 2);
        expect((await waiting()).map(([seq]) => seq)).toStrictEqual([2, 3]);
        await store.outgoing.forget(3, T + 10);
        expect(await store.outgoing.spool()).toMatchObject({ facts: 0, last: 3, forgotten: 3 });
      });

      it("come in pieces of so many bytes, at least one at a time", async () => {
        await store.commit({ outgoing: [flipFact("a", T), flipFact("a", T + 1), flipFact("a", T + 2)] });
        const size = JSON.stringify(flipFact("a", T)).length;
        expect(await store.outgoing.after(0, 1)).toHaveLength(1);
        expect(await store.outgoing.after(0, 2 * size)).toHaveLength(2);
      });

      it("begin anew in a new spool, and never count backwards in the same one", async () => {
        await store.commit({ outgoing: [flipFact("a", T)] });
        await store.outgoing.forget(1, T + 1);
        await store.commit({ outgoing: [flipFact("a", T + 1)] });
        expect(await waiting()).toStrictEqual([[2, T + 1]]);
        await store.outgoing.renew("spool-2");
        await store.commit({ outgoing: [flipFact("a", T + 2)] });
        expect(await waiting()).toStrictEqual([[1, T + 2]]);
        expect(await store.outgoing.spool()).toMatchObject({ id: "spool-2", facts: 1, last: 1 });
      });

      it("that do not fit are dropped, entries first, and a fact says how many", async () => {
        const wide = (id: string, at: number, k: "entry" | "flip"): HostFact => ({
          ...{ k, at, entry: hostEntry(id, { why: "x".repeat(6 << 20) }) },
        });
        await store.commit({ outgoing: [wide("a", T, "flip")] });
        for (let n = 1; n <= 10; n++)
          await store.commit({ outgoing: [wide(`e${n}`, T + n, n % 2 === 0 ? "entry" : "flip")] });
        const facts = (await store.outgoing.after(0, 1 << 30)).map(({ fact }) => fact);
        const dropped = facts.find(({ k }) => k === "dropped");
        expect(dropped).toMatchObject({ count: 11 - facts.filter(({ k }) => k !== "dropped").length });
        expect(facts.filter(({ k }) => k === "flip")).toHaveLength(6);
        expect((await store.outgoing.spool()).bytes).toBeLessThan(64 << 20);
      });

      it("that are a week old are dropped, and a fact says how many", async () => {
        const week = 7 * 24 * 3_600_000;
        await store.commit({ outgoing: [flipFact("a", T), flipFact("a", T + 5)] });
        await store.commit({ outgoing: [flipFact("a", T + week + 1)] });
        const facts = (await store.outgoing.after(0, 1 << 20)).map(({ fact }) => fact);
        expect(facts.map(({ k, at }) => [k, at])).toStrictEqual([
          ["flip", T + 5],
          ["flip", T + week + 1],
          ["dropped", T + week + 1],
        ]);
        expect(facts.at(-1)).toMatchObject({ count: 1 });
      });
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
