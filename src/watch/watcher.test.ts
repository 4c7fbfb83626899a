import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../test/virtual-clock.ts";
import type { Agent } from "../core/agent.ts";
import type { Beat } from "../core/beat.ts";
import { HOUR, MINUTE, SECOND } from "../core/duration.ts";
import type { Changes, Store } from "../ports/store.ts";
import { memoryStore } from "../store/memory/memory.ts";
import type { FleetPolicy } from "./intent.ts";
import { Watcher } from "./watcher.ts";

const START = Date.parse("2026-03-02T08:00:00Z");
const RULE = { every: 15 * MINUTE, grace: 5 * MINUTE };
const POLICY: FleetPolicy = { autoRegister: true, defaultRule: RULE, agents: [] };
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

let count = 0;
function beat(agent: string, at: number, more: Partial<Beat> = {}): Beat {
  count += 1;
  const id = `00000000-0000-7000-8000-${String(count).padStart(12, "0")}`;
  return { id, agent, source: "agent", status: "ok", sentAt: at, receivedAt: at, ...more };
}

function declared(id: string, addedAt = START, rule: Agent["rule"] = RULE): Agent {
  return { id, rule, origin: "config", addedAt };
}

class World {
  readonly clock = new VirtualClock(START);
  store: Store = memoryStore();
  watcher!: Watcher;

  /** A watcher starts on what the store knows. */
  async up(policy: Partial<FleetPolicy> = {}): Promise<void> {
    this.watcher = await Watcher.load(
      { store: this.store, clock: this.clock, log: SILENT, bootId: "boot" },
      { ...POLICY, ...policy },
    );
    this.watcher.watch();
    await this.clock.run(0);
  }

  /** The process is killed: nothing of it happens any more. */
  kill(): void {
    void this.watcher.stop();
  }

  beat(agent: string, more: Partial<Beat> = {}): Promise<void> {
    return this.watcher.accept([beat(agent, this.clock.wall(), more)]);
  }

  state(agent: string): string | undefined {
    return this.watcher.reader.place(agent)?.entry.standing.verdict.state;
  }

  async flips(agent: string): Promise<string[]> {
    const flips = await this.store.flips(agent, { limit: 100 });
    return flips.map(({ from, to, at }) => `${from} → ${to} at ${(at - START) / SECOND} s`).reverse();
  }
}

describe("another policy", () => {
  const many = (rule: Agent["rule"]) =>
    Array.from({ length: 600 }, (_, i) => declared(`agent-${i}`, START, rule));

  it("that says the same again changes nothing", async () => {
    const world = new World();
    const agents = many(RULE);
    await world.up({ agents });
    const committed: Changes[] = [];
    world.watcher.onCommitted((changes) => committed.push(changes));
    await world.watcher.configure({ ...POLICY, agents: many({ ...RULE }) });
    expect(committed.flatMap(({ agents = [], entries = [] }) => [...agents, ...entries])).toEqual([]);
    world.kill();
  });

  it("that changes many agents is in force at once, and judges them a slice at a time", async () => {
    const world = new World();
    await world.up({ agents: many(RULE) });
    await world.watcher.accept(many(RULE).map(({ id }) => beat(id, START)));
    await world.clock.run(10 * MINUTE);
    const flips: number[] = [];
    world.watcher.onCommitted((changes) => flips.push(changes.flips?.length ?? 0));
    const strict = { every: MINUTE, grace: MINUTE };
    await world.watcher.configure({ ...POLICY, agents: many(strict) });
    expect(world.watcher.reader.place("agent-599")?.agent.rule).toEqual(strict);
    await world.clock.run(SECOND);
    expect(Math.max(...flips)).toBe(256);
    expect(flips.reduce((sum, each) => sum + each, 0)).toBe(600);
    expect(world.state("agent-599")).toBe("dead");
    world.kill();
  });
});

describe("a watched agent", () => {
  it("is registered by its first beat, then late, then dead, with flips dated at the deadlines", async () => {
    const world = new World();
    await world.up();
    await world.beat("allegro");
    expect(world.state("allegro")).toBe("alive");
    await world.clock.run(15 * MINUTE);
    expect(world.state("allegro")).toBe("late");
    await world.clock.run(5 * MINUTE);
    expect(world.state("allegro")).toBe("dead");
    await world.clock.run(HOUR);
    await world.beat("allegro");
    expect(await world.flips("allegro")).toEqual([
      "new → alive at 0 s",
      "alive → late at 900 s",
      "late → dead at 1200 s",
      "dead → alive at 4800 s",
    ]);
  });

  it("has sentences on record that are still true when they are read much later", async () => {
    const world = new World();
    await world.up();
    await world.beat("allegro");
    await world.clock.run(20 * MINUTE);
    const promise = "expected every 15 min, 5 min of grace";
    const [dead] = await world.store.flips("allegro", { limit: 1 });
    const [incident] = await world.store.incidents.page({ limit: 1 });
    for (const { why } of [dead, incident, world.watcher.reader.place("allegro")?.entry.standing.verdict].map(
      (each) => each ?? { why: undefined },
    ))
      expect(why).toBe(`no beat since 2026-03-02T08:00:00Z; ${promise}`);
  });

  it("that never beats is new, then dead with reason never-heard", async () => {
    const world = new World();
    await world.up({ agents: [declared("allegro")] });
    expect(world.state("allegro")).toBe("new");
    await world.clock.run(20 * MINUTE);
    expect(world.watcher.reader.place("allegro")?.entry.standing.verdict).toMatchObject({
      state: "dead",
      reason: "never-heard",
    });
  });

  it("is not moved back by a late or repeated beat", async () => {
    const world = new World();
    await world.up();
    const first = beat("allegro", START);
    await world.watcher.accept([first]);
    await world.clock.run(10 * MINUTE);
    await world.beat("allegro", { action: "second" });
    await world.watcher.accept([{ ...first, spooled: true }]);
    await world.watcher.accept([beat("allegro", START + MINUTE, { spooled: true, action: "old" })]);
    const entry = world.watcher.reader.place("allegro")?.entry;
    expect(entry?.lastBeat?.action).toBe("second");
    await world.clock.run(14 * MINUTE);
    expect(world.state("allegro")).toBe("alive");
    expect(await world.store.beats("allegro", { limit: 10 })).toHaveLength(3);
  });

  it("counts a spooled beat from when it was sent", async () => {
    const world = new World();
    await world.up();
    const sentAt = START - 18 * MINUTE;
    await world.watcher.accept([beat("allegro", START, { spooled: true, sentAt })]);
    expect(world.state("allegro")).toBe("late");
  });

  it("that is paused is not judged, and gets its chance when it is resumed", async () => {
    const world = new World();
    await world.up();
    await world.beat("allegro");
    await world.watcher.pause("allegro");
    await world.clock.run(2 * HOUR);
    expect(world.state("allegro")).toBe("paused");
    await world.watcher.resume("allegro");
    expect(world.state("allegro")).toBe("unknown");
    await world.clock.run(19 * MINUTE);
    expect(world.state("allegro")).toBe("unknown");
    await world.clock.run(MINUTE);
    expect(world.state("allegro")).toBe("dead");
  });

  it("keeps its history when the config's rule changes, and is judged by the new rule", async () => {
    const world = new World();
    await world.up({ agents: [declared("allegro")] });
    await world.beat("allegro");
    await world.clock.run(HOUR);
    expect(world.state("allegro")).toBe("dead");
    const patient = declared("allegro", world.clock.wall(), { every: 2 * HOUR, grace: MINUTE });
    await world.watcher.configure({ ...POLICY, agents: [patient] });
    expect(world.state("allegro")).toBe("alive");
  });

  it("that registered itself follows the default rule when that changes", async () => {
    const world = new World();
    await world.up();
    await world.beat("allegro");
    await world.clock.run(HOUR);
    expect(world.state("allegro")).toBe("dead");
    const defaultRule = { every: 2 * HOUR, grace: MINUTE };
    await world.watcher.configure({ ...POLICY, defaultRule });
    expect(world.state("allegro")).toBe("alive");
    expect(world.watcher.reader.place("allegro")?.agent).toMatchObject({ origin: "beat", rule: defaultRule });
  });
});

describe("the cycles that beats name", () => {
  it("end when another one is named, also when an agent counts from 1 again or the watcher was killed", async () => {
    const world = new World();
    await world.up();
    for (const cycle of [7, 7, 8]) {
      await world.clock.run(MINUTE);
      await world.beat("allegro", { cycle });
    }
    world.kill();
    await world.up();
    for (const cycle of [9, 1]) {
      await world.clock.run(MINUTE);
      await world.beat("allegro", { cycle, cycleEvent: "begun" });
    }
    await world.beat("allegro", { cycle: 1, cycleEvent: "ended" });
    await world.beat("allegro", { cycle: 2 });
    const cycles = await world.store.cycles("allegro", { limit: 9 });
    expect(
      cycles.map(({ number, outcome, endedAt }) => [number, outcome, endedAt && (endedAt - START) / MINUTE]),
    ).toEqual([
      [2, undefined, undefined],
      [1, "ok", 5],
      [9, "superseded", 4],
      [8, "superseded", 3],
      [7, "superseded", 2],
    ]);
  });
});

describe("what the watcher did not watch", () => {
  it("an outage longer than the deadline: unknown for one whole dead-after, then dead", async () => {
    const world = new World();
    await world.up();
    await world.beat("allegro");
    await world.beat("adagio");
    await world.clock.run(MINUTE);
    world.kill();
    world.clock.freeze(3 * HOUR);
    await world.up();
    expect(world.state("allegro")).toBe("unknown");
    await world.clock.run(10 * MINUTE);
    await world.beat("adagio");
    await world.clock.run(9 * MINUTE);
    expect(world.state("allegro")).toBe("unknown");
    await world.clock.run(MINUTE);
    expect(world.state("allegro")).toBe("dead");
    expect(world.state("adagio")).toBe("alive");
    const began = MINUTE + 3 * HOUR;
    expect(await world.flips("allegro")).toEqual([
      "new → alive at 0 s",
      `alive → unknown at ${began / SECOND} s`,
      `unknown → dead at ${(began + 20 * MINUTE) / SECOND} s`,
    ]);
    expect(await world.flips("adagio")).toContain(`unknown → alive at ${(began + 10 * MINUTE) / SECOND} s`);
  });

  it("who was dead before an outage stays dead, and is not flipped again", async () => {
    const world = new World();
    await world.up();
    await world.beat("allegro");
    await world.clock.run(HOUR);
    const before = await world.flips("allegro");
    world.kill();
    world.clock.freeze(3 * HOUR);
    await world.up();
    await world.clock.run(HOUR);
    expect(world.state("allegro")).toBe("dead");
    expect(await world.flips("allegro")).toEqual(before);
  });

  for (const [name, disturb] of [
    ["a forward jump of the clock", (clock: VirtualClock) => clock.step(3 * HOUR)],
    ["a suspended machine", (clock: VirtualClock) => clock.suspend(3 * HOUR)],
    ["a process that was stopped for hours", (clock: VirtualClock) => clock.freeze(3 * HOUR)],
  ] as const) {
    it(`${name} never makes anybody dead before they had their chance`, async () => {
      const world = new World();
      await world.up();
      await world.beat("allegro");
      await world.clock.run(10 * MINUTE);
      disturb(world.clock);
      await world.clock.run(19 * MINUTE);
      expect(world.state("allegro")).toBe("unknown");
      await world.clock.run(2 * MINUTE);
      expect(world.state("allegro")).toBe("dead");
      const states = (await world.store.flips("allegro", { limit: 10 })).map(({ to }) => to);
      expect(states).toEqual(["dead", "unknown", "alive"]);
    });
  }

  it("a clock set back neither kills nor hides: beats go on counting, and silence is dead in the end", async () => {
    const world = new World();
    await world.up();
    await world.beat("allegro");
    await world.beat("adagio");
    await world.clock.run(10 * MINUTE);
    world.clock.step(-3 * HOUR);
    await world.clock.run(5 * MINUTE);
    await world.beat("adagio");
    expect(world.state("adagio")).toBe("alive");
    await world.clock.run(10 * MINUTE);
    expect(world.state("allegro")).not.toBe("dead");
    expect(world.state("adagio")).toBe("alive");
    await world.clock.run(6 * MINUTE);
    expect(world.state("allegro")).toBe("dead");
    await world.clock.run(4 * HOUR);
    expect(world.state("allegro")).toBe("dead");
  });
});

it("however often beats come, what they change is written every ten seconds", async () => {
  const world = new World();
  await world.up();
  for (let n = 0; n < 60; n++) {
    await world.beat(`a${n % 7}`);
    await world.clock.run(SECOND);
  }
  const { unflushed, entries } = await world.store.load();
  expect(unflushed.length).toBeLessThanOrEqual(11);
  const written = entries.map(({ lastBeat }) => lastBeat?.receivedAt ?? 0);
  expect(Math.max(...written)).toBeGreaterThan(START + 45 * SECOND);
});

it("what was seen and changes nothing that is written waits for the next sign of life", async () => {
  const world = new World();
  const { store } = world;
  let commits = 0;
  world.store = {
    ...store,
    commit: (changes) => {
      commits += 1;
      return store.commit(changes);
    },
  };
  await world.up({ agents: [{ id: "allegro", origin: "config", addedAt: START }] });
  const saw = (at: number) => {
    const facts = [{ kind: "activity", signal: "log", at, seenAt: at, context: "model" } as const];
    return world.watcher.notice([{ agent: "allegro", facts, memories: {} }]);
  };
  await saw(START);
  const before = commits;
  await world.clock.run(SECOND);
  await saw(START + SECOND);
  expect(commits).toBe(before);
  expect(world.watcher.reader.place("allegro")?.entry.observations).toMatchObject([{ at: START + SECOND }]);
  await world.clock.run(10 * SECOND);
  expect(commits).toBe(before + 1);
  const { entries } = await store.load();
  expect(entries).toMatchObject([{ observations: [{ at: START + SECOND }] }]);
});

describe("a store that fails", () => {
  /** A store whose commits fail while told to. */
  function fragile(store: Store): Store & { broken: boolean } {
    return {
      ...store,
      broken: false,
      commit(changes: Changes) {
        return this.broken ? Promise.reject(new Error("disk full")) : store.commit(changes);
      },
      load: () => store.load(),
      beats: (agent, page) => store.beats(agent, page),
      flips: (agent, page) => store.flips(agent, page),
      cycles: (agent, page) => store.cycles(agent, page),
      prune: (before) => store.prune(before),
      close: () => store.close(),
    };
  }

  it("refuses beats, judges nobody, says that it is blind, and gives everybody their chance afterwards", async () => {
    const world = new World();
    const store = fragile(world.store);
    world.store = store;
    await world.up();
    await world.beat("allegro");
    await world.clock.run(14 * MINUTE);
    store.broken = true;
    await expect(world.beat("allegro")).rejects.toThrow("disk full");
    expect(world.watcher.blindSince).toBe(START + 14 * MINUTE);
    await world.clock.run(2 * HOUR);
    expect(world.state("allegro")).toBe("alive");
    store.broken = false;
    await world.clock.run(2 * SECOND);
    expect(world.watcher.blindSince).toBeUndefined();
    expect(world.state("allegro")).toBe("unknown");
    await world.clock.run(21 * MINUTE);
    expect(world.state("allegro")).toBe("dead");
  });
});

describe("a store that does not answer", () => {
  /** A store whose commits wait while told to. */
  function hanging(store: Store) {
    let go: () => void = () => {};
    let gate = Promise.resolve();
    const commit = async (changes: Changes) => {
      await gate;
      return store.commit(changes);
    };
    const hang = () => {
      gate = new Promise((done) => {
        go = done;
      });
    };
    return { store: { ...store, commit }, hang, answer: () => go() };
  }

  it("is told as blindness, and so is its end", async () => {
    const world = new World();
    const { store, hang, answer } = hanging(world.store);
    world.store = store;
    await world.up();
    const heard: (string | undefined)[] = [];
    world.watcher.onBlind((problem) => heard.push(problem));
    hang();
    const accepted = world.beat("allegro");
    await world.clock.run(14 * SECOND);
    expect(heard).toEqual([]);
    await world.clock.run(MINUTE);
    expect(heard).toEqual(["the store does not answer"]);
    answer();
    await accepted;
    expect(heard).toEqual(["the store does not answer", undefined]);
    expect(world.state("allegro")).toBe("alive");
  });

  it("while we ourselves were stopped is not blamed for that", async () => {
    const world = new World();
    const { store, hang, answer } = hanging(world.store);
    world.store = store;
    await world.up();
    const heard: (string | undefined)[] = [];
    world.watcher.onBlind((problem) => heard.push(problem));
    hang();
    const accepted = world.beat("allegro");
    await world.clock.run(2 * SECOND);
    world.clock.freeze(HOUR);
    await world.clock.run(2 * SECOND);
    answer();
    await accepted;
    expect(heard).toEqual([]);
  });
});

describe("the fleet", () => {
  it("refuses beats of strangers if it may not register them, all or none", async () => {
    const world = new World();
    await world.up({ autoRegister: false, agents: [declared("allegro")] });
    const now = world.clock.wall();
    await expect(world.watcher.accept([beat("allegro", now), beat("stranger", now)])).rejects.toMatchObject({
      code: "no-such-agent",
    });
    expect(await world.store.beats("allegro", { limit: 10 })).toEqual([]);
    expect(world.state("allegro")).toBe("new");
  });

  it("the watcher's own agent is not removed by hand, and leaves when it is declared no more", async () => {
    const world = new World();
    await world.up({ agents: [{ ...declared("rollcall@vm"), origin: "watcher" }] });
    await expect(world.watcher.remove("rollcall@vm")).rejects.toThrow("is the watcher itself");
    await world.watcher.configure(POLICY);
    expect([...world.watcher.reader.places()]).toEqual([]);
  });

  it("an agent that the config declares is removed there, and an added one by hand", async () => {
    const world = new World();
    await world.up({ agents: [declared("allegro")] });
    await world.watcher.add({ ...declared("adagio"), origin: "added" });
    await expect(world.watcher.remove("allegro")).rejects.toMatchObject({ code: "declared-in-config" });
    await expect(world.watcher.remove("nobody")).rejects.toMatchObject({ code: "no-such-agent" });
    await expect(world.watcher.add({ ...declared("adagio"), origin: "added" })).rejects.toMatchObject({
      code: "agent-exists",
    });
    await world.watcher.remove("adagio");
    await world.watcher.configure(POLICY);
    expect([...world.watcher.reader.places()]).toEqual([]);
    const { agents } = await world.store.load();
    expect(agents).toEqual([]);
  });

  it("survives a restart with everything that is known of it", async () => {
    const world = new World();
    await world.up({ agents: [declared("allegro")] });
    await world.beat("allegro", { cycle: 7, action: "sync inbox" });
    await world.beat("adagio", { status: "error", message: "no disk" });
    await world.watcher.pause("allegro");
    await world.watcher.stop();
    await world.up({ agents: [declared("allegro")] });
    expect(world.state("allegro")).toBe("paused");
    expect(world.watcher.reader.place("allegro")?.entry.lastBeat).toMatchObject({
      cycle: 7,
      action: "sync inbox",
    });
    expect(world.watcher.reader.place("allegro")?.cycle).toMatchObject({
      number: 7,
      lastAction: "sync inbox",
    });
    expect(world.state("adagio")).toBe("failing");
  });
});
