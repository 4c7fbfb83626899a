import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../test/virtual-clock.ts";
import type { Agent } from "../core/agent.ts";
import { HOUR, MINUTE, SECOND } from "../core/duration.ts";
import type { Observation } from "../core/liveness/observation.ts";
import type { Look, SignalReader } from "../ports/signal.ts";
import { memoryStore } from "../store/memory/memory.ts";
import { Rounds } from "./rounds.ts";
import { Watcher } from "./watcher.ts";

const START = Date.parse("2026-03-02T08:00:00Z");
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

/** A signal that says what the test told it to, and remembers how it was asked. */
class Told implements SignalReader {
  readonly signal = "log";
  readonly looks: Look[] = [];
  says: (look: Look) => readonly Observation[] | Promise<readonly Observation[]> = () => [];
  closed = false;
  quiet = false;

  glance(): boolean {
    return this.quiet;
  }

  async look(look: Look): Promise<readonly Observation[]> {
    this.looks.push(look);
    return this.says(look);
  }

  memory(): unknown {
    return { looks: this.looks.length };
  }

  close(): void {
    this.closed = true;
  }
}

const activity = (at: number): Observation => ({
  kind: "activity",
  signal: "log",
  at,
  seenAt: at,
  context: "tool",
});

async function world(readers: Record<string, Told>, stall?: number) {
  const clock = new VirtualClock(START);
  const store = memoryStore();
  const agents = Object.keys(readers).map(
    (id): Agent => ({
      id,
      origin: "config",
      addedAt: START,
      signals: { log: id },
      ...(stall ? { stall } : {}),
    }),
  );
  const watcher = await Watcher.load(
    { store, clock, log: SILENT, bootId: "boot" },
    { autoRegister: true, defaultRule: { every: 15 * MINUTE, grace: 5 * MINUTE }, agents },
  );
  const rounds = new Rounds({
    clock,
    interval: 10 * SECOND,
    open: ({ id }) => (readers[id] === undefined ? [] : [readers[id]]),
    notice: (found) => watcher.notice(found),
    blindUntil: () => watcher.trust.blind.at(-1)?.to ?? 0,
  });
  rounds.watch(agents);
  await rounds.start();
  watcher.watch();
  await clock.run(0);
  const verdict = (id: string) => watcher.reader.place(id)?.entry.standing.verdict;
  return { clock, store, watcher, rounds, verdict, agents };
}

describe("a round", () => {
  it("comes before the first verdict, and then once an interval", async () => {
    const reader = new Told();
    reader.says = () => [activity(START - MINUTE)];
    const { clock, verdict } = await world({ allegro: reader });
    expect(verdict("allegro")).toMatchObject({ state: "alive", reason: "working" });
    expect(reader.looks.map(({ fresh }) => fresh)).toEqual([true]);
    await clock.run(MINUTE);
    expect(reader.looks).toHaveLength(7);
    expect(reader.looks.at(-1)?.fresh).toBe(false);
  });

  it("holds up the start for as long as one look may take, however many hang", async () => {
    const clock = new VirtualClock(START);
    const hanging = new Told();
    hanging.says = () => new Promise(() => {});
    const rounds = new Rounds({
      clock,
      interval: 10 * SECOND,
      open: () => [Object.assign(new Told(), { says: hanging.says })],
      notice: async () => {},
      blindUntil: () => 0,
    });
    const ids = Array.from({ length: 50 }, (_, n) => `agent-${n}`);
    rounds.watch(ids.map((id): Agent => ({ id, origin: "config", addedAt: START, signals: { log: id } })));
    let started = false;
    void rounds.start().then(() => {
      started = true;
    });
    await clock.run(5 * SECOND);
    expect(started).toBe(true);
    await clock.run(MINUTE);
    await rounds.stop();
  });

  it("a silence beyond the limit is one flip, however long it lasts", async () => {
    const reader = new Told();
    reader.says = ({ fresh }) => (fresh ? [activity(START)] : []);
    const { clock, store, verdict } = await world({ allegro: reader }, 45 * MINUTE);
    await clock.run(44 * MINUTE);
    expect(verdict("allegro")?.state).toBe("alive");
    await clock.run(24 * HOUR);
    expect(verdict("allegro")).toMatchObject({
      state: "stalled",
      why: expect.stringContaining("45 min (fixed)"),
    });
    const flips = await store.flips("allegro", { limit: 10 });
    expect(flips.map(({ to, at }) => [to, at - START])).toEqual([
      ["stalled", 45 * MINUTE],
      ["alive", 0],
    ]);
  });

  it("asks afresh after a span that was not watched, and nobody stalls for it", async () => {
    const reader = new Told();
    reader.says = () => [];
    const { clock, verdict } = await world({ allegro: reader }, 45 * MINUTE);
    reader.says = ({ now }) => [activity(now)];
    await clock.run(10 * SECOND);
    reader.says = ({ fresh, now }) => (fresh ? [activity(now - SECOND)] : []);
    clock.suspend(5 * HOUR);
    await clock.run(20 * SECOND);
    expect(reader.looks.filter(({ fresh }) => fresh)).toHaveLength(2);
    expect(verdict("allegro")?.state).toBe("alive");
  });

  it("asks afresh after the clock was set back, so that nothing that is known lies in the future", async () => {
    const reader = new Told();
    reader.quiet = true;
    reader.says = ({ now }) => [activity(now)];
    const { clock, verdict } = await world({ allegro: reader }, 30 * MINUTE);
    await clock.run(MINUTE);
    clock.step(-HOUR);
    await clock.run(20 * SECOND);
    expect(reader.looks.filter(({ fresh }) => fresh)).toHaveLength(2);
    expect(verdict("allegro")?.state).toBe("alive");
  });

  it("a look that fails degrades its signal by name, is asked afresh, and holds up nobody", async () => {
    const [bad, good] = [new Told(), new Told()];
    bad.says = () => {
      throw new Error("permission denied");
    };
    good.says = ({ now }) => [activity(now)];
    const { clock, verdict } = await world({ bad, good });
    expect(verdict("bad")).toMatchObject({ state: "unknown", why: "cannot be checked: permission denied" });
    expect(verdict("good")?.state).toBe("alive");
    bad.says = ({ now }) => [activity(now)];
    await clock.run(10 * SECOND);
    expect(bad.looks.at(-1)?.fresh).toBe(true);
    expect(verdict("bad")?.state).toBe("alive");
  });

  it("a look that hangs is given up after its limit, told to end, and not asked again until it comes back", async () => {
    const [hangs, good] = [new Told(), new Told()];
    const { clock, verdict } = await world({ hangs, good });
    let release: (facts: readonly Observation[]) => void = () => {};
    hangs.says = () =>
      new Promise((done) => {
        release = done;
      });
    good.says = ({ now }) => [activity(now)];
    await clock.run(MINUTE);
    expect(hangs.looks).toHaveLength(2);
    expect(hangs.looks.at(-1)?.abort.aborted).toBe(true);
    expect(verdict("hangs")?.why).toContain("did not answer within 5 s");
    expect(good.looks.length).toBeGreaterThan(3);
    release([]);
    hangs.says = ({ now }) => [activity(now)];
    await clock.run(20 * SECOND);
    expect(verdict("hangs")?.state).toBe("alive");
  });

  it("passes over whom a glance shows to be quiet, but not after a span that was not watched or a problem", async () => {
    const [quiet, other] = [new Told(), new Told()];
    const { clock } = await world({ quiet, other });
    quiet.quiet = true;
    quiet.says = ({ now }) => [activity(now)];
    await clock.run(MINUTE);
    expect([quiet.looks.length, other.looks.length]).toEqual([1, 7]);
    quiet.says = () => {
      throw new Error("permission denied");
    };
    clock.suspend(HOUR);
    await clock.run(30 * SECOND);
    expect(quiet.looks.length).toBeGreaterThan(2);
    expect(quiet.looks.slice(1).every(({ fresh }) => fresh)).toBe(true);
  });

  it("each look has a limit of its own, whenever it began", async () => {
    const [first, second] = [new Told(), new Told()];
    const { clock, verdict, watcher } = await world({ first, second });
    const hang = () => new Promise<readonly Observation[]>(() => {});
    first.says = hang;
    await clock.run(12 * SECOND);
    expect(first.looks.at(-1)?.abort.aborted).toBe(false);
    await clock.run(4 * SECOND);
    expect(first.looks.at(-1)?.abort.aborted).toBe(true);
    expect(verdict("first")?.why).toContain("did not answer within 5 s");
    second.says = hang;
    await clock.run(20 * SECOND);
    expect(second.looks.at(-1)?.abort.aborted).toBe(true);
    expect(first.looks).toHaveLength(2);
    expect(watcher.reader.place("second")?.entry.standing.verdict.why).toContain("did not answer within 5 s");
  });

  it("keeps what a signal must remember, and closes who is no longer watched", async () => {
    const reader = new Told();
    reader.says = ({ now }) => [activity(now)];
    const { clock, rounds, watcher } = await world({ allegro: reader });
    await clock.run(10 * SECOND);
    expect(watcher.reader.place("allegro")?.entry).toMatchObject({ memories: { log: { looks: 2 } } });
    rounds.watch([]);
    expect(reader.closed).toBe(true);
  });

  it("learns the rhythm, and the verdict says from how many gaps", async () => {
    const reader = new Told();
    reader.says = ({ now }) => [activity(now)];
    const { clock, watcher } = await world({ allegro: reader });
    await clock.run(HOUR);
    expect(watcher.reader.place("allegro")?.entry.rhythm).toMatchObject({ context: "tool" });
    reader.says = () => [];
    await clock.run(2 * HOUR);
    expect(watcher.reader.place("allegro")?.entry.standing.verdict).toMatchObject({
      state: "stalled",
      why: expect.stringMatching(/limit .* \((learnt|prior)/),
    });
  });
});

it("a look at one agent between the rounds is a fresh one, and is judged when it is over", async () => {
  const [reader, other] = [new Told(), new Told()];
  const { rounds, verdict } = await world({ allegro: reader, adagio: other });
  reader.says = ({ now }) => [activity(now)];
  await rounds.look("allegro");
  expect(verdict("allegro")).toMatchObject({ state: "alive", reason: "working" });
  expect(reader.looks.map(({ fresh }) => fresh)).toEqual([true, true]);
  expect(other.looks).toHaveLength(1);
  await rounds.look("nobody");
});

it("an agent that is resumed is looked at afresh, also if nothing about it has changed", async () => {
  const reader = new Told();
  const { clock, rounds, watcher, verdict } = await world({ allegro: reader });
  reader.says = ({ now, fresh }) => (fresh ? [activity(now)] : []);
  await watcher.pause("allegro");
  await clock.run(MINUTE);
  await watcher.resume("allegro");
  expect(verdict("allegro")).toMatchObject({ state: "unknown" });
  rounds.watch([...watcher.reader.places()].map(({ agent }) => agent));
  await clock.run(10 * SECOND);
  expect(verdict("allegro")).toMatchObject({ state: "alive", reason: "working" });
  expect(reader.looks.filter(({ fresh }) => fresh)).toHaveLength(2);
});
