import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../test/virtual-clock.ts";
import type { Beat } from "../core/beat.ts";
import { HOUR, MINUTE, SECOND } from "../core/duration.ts";
import { defaultPolicy } from "../core/incident/policy.ts";
import type { Clock } from "../ports/clock.ts";
import { type Changes, type Store, StoreError } from "../ports/store.ts";
import { memoryStore } from "../store/memory/memory.ts";
import { Watcher } from "./watcher.ts";

const START = Date.parse("2026-03-02T08:00:00Z");
const RULE = { every: 15 * MINUTE, grace: 5 * MINUTE };
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const POLICY = { autoRegister: true, defaultRule: RULE, agents: [], telling: defaultPolicy(["ops"]) };

let count = 0;

/** A watcher on a store that can be told what to do with the next commits. */
class World {
  readonly clock = new VirtualClock(START);
  readonly inner = memoryStore();
  commit: (changes: Changes) => Promise<number> = (changes) => this.inner.commit(changes);
  ticks = 0;
  watcher!: Watcher;
  #gone = { yes: false };

  async load(): Promise<Watcher> {
    const gone = { yes: false };
    this.#gone = gone;
    const store: Store = { ...this.inner, commit: (changes) => this.commit(changes) };
    const clock: Clock = {
      wall: this.clock.wall,
      monotonic: this.clock.monotonic,
      uptime: this.clock.uptime,
      soon: (call) => this.clock.soon(() => (gone.yes ? undefined : call())),
      after: (delay, call) =>
        this.clock.after(delay, () => {
          this.ticks += 1;
          if (!gone.yes) call();
        }),
    };
    this.watcher = await Watcher.load({ store, clock, log: SILENT, bootId: "boot" }, POLICY);
    return this.watcher;
  }

  async up(): Promise<void> {
    (await this.load()).watch();
    await this.clock.run(0);
  }

  kill(): void {
    this.#gone.yes = true;
  }

  made(agent: string, more: Partial<Beat> = {}): Beat {
    const at = this.clock.wall();
    count += 1;
    return { id: `b${count}`, agent, source: "agent", status: "ok", sentAt: at, receivedAt: at, ...more };
  }

  beat(agent: string, more: Partial<Beat> = {}): Promise<void> {
    return this.watcher.accept([this.made(agent, more)]);
  }

  state(agent: string): string | undefined {
    return this.watcher.reader.place(agent)?.entry.standing.verdict.state;
  }

  open(): readonly string[] {
    return [...this.watcher.desk.incidents].flatMap(({ subject, resolved }) => (resolved ? [] : [subject]));
  }
}

const full = () => Promise.reject(new Error("disk full"));

describe("a watcher that is killed again and again", () => {
  /** When the agent is called dead, in minutes after its last beat, if the watcher is killed every 15 minutes and away so long. */
  async function diesAfter(away: number): Promise<number> {
    const world = new World();
    await world.up();
    await world.clock.run(14 * MINUTE);
    await world.beat("allegro");
    for (let round = 0; round < 12; round++) {
      await world.clock.run(15 * MINUTE - away);
      world.kill();
      await world.clock.run(away);
      await world.up();
    }
    const dead = (await world.inner.flips("allegro", { limit: 99 })).filter(({ to }) => to === "dead");
    expect(dead).toHaveLength(1);
    return ((dead[0]?.at ?? 0) - START - 14 * MINUTE) / MINUTE;
  }

  it("and back within a second moves a deadline by what it missed", async () => {
    const minutes = await diesAfter(SECOND);
    expect(minutes).toBeGreaterThan(20);
    expect(minutes).toBeLessThanOrEqual(20.5);
  });

  it("and away for longer gives one whole chance, once", async () => {
    const minutes = await diesAfter(3 * MINUTE);
    expect(minutes).toBeGreaterThanOrEqual(15 + 20);
    expect(minutes).toBeLessThanOrEqual(15 + 20 + 4);
  });

  it("gives the chance again to an agent that was heard in between", async () => {
    const world = new World();
    await world.up();
    for (let round = 0; round < 3; round++) {
      await world.beat("allegro");
      await world.clock.run(14 * MINUTE);
      world.kill();
      await world.clock.run(10 * MINUTE);
      await world.up();
      expect(world.state("allegro")).toBe("unknown");
      await world.clock.run(19 * MINUTE);
      expect(world.state("allegro")).toBe("unknown");
    }
    await world.clock.run(2 * MINUTE);
    expect(world.state("allegro")).toBe("dead");
  });
});

describe("what waited in the spool", () => {
  it("ends an incident and opens one, although nobody was judged when it was taken up", async () => {
    const world = new World();
    await world.up();
    await world.beat("a");
    await world.beat("b");
    await world.beat("b", { status: "error" });
    await world.clock.run(30 * MINUTE);
    expect(world.open()).toEqual(["b", "a"]);
    world.kill();
    const watcher = await world.load();
    await watcher.accept([world.made("a", { status: "error" }), world.made("b")]);
    watcher.watch();
    await world.clock.run(0);
    expect([world.state("a"), world.state("b")]).toEqual(["failing", "alive"]);
    expect(world.open()).toEqual(["a"]);
  });

  it("and took us long to take up is not held against anybody", async () => {
    const world = new World();
    await world.up();
    await world.beat("a");
    await world.clock.run(MINUTE);
    world.kill();
    const watcher = await world.load();
    world.clock.freeze(HOUR);
    watcher.watch();
    await world.clock.run(19 * MINUTE);
    expect(world.state("a")).toBe("unknown");
    await world.clock.run(2 * MINUTE);
    expect(world.state("a")).toBe("dead");
  });
});

describe("a store that failed", () => {
  it("is told by the very commit that ends it, so that a death of ours after it hides nothing", async () => {
    const world = new World();
    await world.up();
    await world.beat("a");
    await world.clock.run(10 * MINUTE);
    world.commit = full;
    await world.clock.run(HOUR);
    world.commit = (changes) => {
      world.kill();
      void world.inner.commit(changes);
      return new Promise(() => {});
    };
    await world.clock.run(SECOND);
    world.commit = (changes) => world.inner.commit(changes);
    await world.up();
    expect(world.state("a")).toBe("unknown");
  });

  it("does not lose what else we did not watch meanwhile", async () => {
    const world = new World();
    await world.up();
    await world.beat("a");
    await world.clock.run(15 * MINUTE + SECOND);
    world.commit = full;
    world.clock.suspend(HOUR);
    await world.clock.run(MINUTE);
    world.commit = (changes) => world.inner.commit(changes);
    await world.clock.run(MINUTE);
    const { blind } = await world.inner.load();
    expect(blind.map(({ cause }) => cause)).toContain("suspend");
  });

  it("keeps a policy that it did not take from coming into force", async () => {
    const world = new World();
    await world.up();
    const agents = [{ id: "declared", rule: RULE, origin: "config" as const, addedAt: START }];
    const closed = { ...POLICY, autoRegister: false, agents };
    world.commit = full;
    await expect(world.watcher.configure(closed)).rejects.toThrow("disk full");
    world.commit = (changes) => world.inner.commit(changes);
    await world.beat("stranger");
    await world.watcher.configure(closed);
    await expect(world.beat("another")).rejects.toMatchObject({ code: "no-such-agent" });
  });

  it("costs no more ticks than a store that works, also where something is due", async () => {
    const world = new World();
    await world.up();
    await world.beat("a");
    await world.clock.run(21 * MINUTE);
    world.commit = full;
    world.ticks = 0;
    await world.clock.run(10 * MINUTE);
    expect(world.ticks).toBeLessThan(700);
  });
});

describe("a clock that was set back", () => {
  it("does not make us sleep longer, nor keep what is due from being told", async () => {
    const world = new World();
    await world.up();
    await world.beat("a");
    await world.clock.run(20 * MINUTE + SECOND);
    world.clock.step(-HOUR);
    await world.beat("b");
    await world.clock.run(3 * MINUTE);
    const [delivery] = await world.inner.deliveries.page({ limit: 9 });
    expect(delivery).toMatchObject({ about: "a", says: "opened" });
  });

  it("does not kill whoever was heard before it by a beat that had waited long, nor after a restart", async () => {
    const world = new World();
    await world.up();
    await world.clock.run(6 * HOUR);
    const late = world.made("a", { sentAt: START, spooled: true });
    await world.beat("a");
    await world.watcher.accept([late]);
    await world.clock.run(2 * SECOND);
    world.clock.step(-HOUR);
    await world.clock.run(2 * SECOND);
    expect(world.state("a")).toBe("unknown");
    world.kill();
    await world.up();
    expect(world.state("a")).toBe("unknown");
    await world.watcher.accept([{ ...late, id: "another" }]);
    expect(world.state("a")).toBe("unknown");
    await world.beat("a");
    expect(world.state("a")).toBe("alive");
  });

  it("does not lose the last beat in a crash, if a stamp of before is believed again just then", async () => {
    const world = new World();
    await world.up();
    await world.beat("a");
    await world.clock.run(MINUTE);
    world.kill();
    world.clock.step(-30 * MINUTE);
    await world.clock.run(4 * MINUTE);
    await world.up();
    await world.beat("a", { spooled: true, sentAt: world.clock.wall() - MINUTE });
    await world.clock.run(25 * MINUTE - 30 * SECOND);
    const last = world.made("a");
    await world.watcher.accept([last]);
    await world.clock.run(2 * MINUTE);
    world.kill();
    await world.up();
    expect(world.watcher.reader.place("a")?.entry.lastBeat?.id).toBe(last.id);
  });

  it("or forward, just before we are stopped, is known to the next watcher", async () => {
    const world = new World();
    await world.up();
    await world.beat("a");
    await world.clock.run(5 * MINUTE);
    world.clock.step(2 * HOUR);
    await world.watcher.stop();
    await world.up();
    expect(world.state("a")).toBe("unknown");
  });

  it("does not bring us to what we missed a second time", async () => {
    const world = new World();
    await world.up();
    world.clock.suspend(HOUR);
    await world.clock.run(MINUTE);
    world.clock.step(-HOUR);
    await world.clock.run(MINUTE);
    await world.beat("a");
    await world.clock.run(20 * MINUTE + SECOND);
    expect(world.state("a")).toBe("dead");
  });

  it("during a pause ends the pause when it is resumed, and not when the clock has caught up", async () => {
    const world = new World();
    await world.up();
    await world.beat("a");
    await world.watcher.pause("a");
    await world.clock.run(MINUTE);
    world.clock.step(-HOUR);
    await world.clock.run(MINUTE);
    await world.watcher.resume("a");
    expect(world.watcher.reader.place("a")?.agent.resumedAt).toBe(world.clock.wall());
    expect(world.state("a")).not.toBe("paused");
  });

  it("during a pause does not take from it what had passed when it is resumed", async () => {
    const world = new World();
    await world.up();
    await world.beat("a");
    await world.watcher.pause("a");
    await world.clock.run(MINUTE);
    world.clock.step(-2 * HOUR);
    await world.clock.run(5 * MINUTE);
    await world.beat("a");
    await world.clock.run(50 * MINUTE);
    await world.watcher.resume("a");
    expect(world.state("a")).toBe("unknown");
    await world.clock.run(20 * MINUTE + SECOND);
    expect(world.state("a")).toBe("dead");
  });

  it("after a pause excuses nobody again when it has caught up with the pause", async () => {
    const world = new World();
    await world.up();
    await world.beat("a");
    await world.watcher.pause("a");
    await world.clock.run(30 * MINUTE);
    await world.watcher.resume("a");
    world.clock.step(-25 * MINUTE);
    await world.clock.run(20 * MINUTE + 2 * SECOND);
    expect(world.state("a")).toBe("dead");
    await world.clock.run(30 * MINUTE);
    expect(world.watcher.reader.place("a")?.agent.resumedAt).toBeLessThan(START + 10 * MINUTE);
    expect(world.state("a")).toBe("dead");
  });

  it("gives who was never heard one chance, and not two", async () => {
    const world = new World();
    await world.up();
    await world.watcher.add({ id: "a", rule: RULE, origin: "added", addedAt: world.clock.wall() });
    await world.clock.run(MINUTE);
    world.clock.step(-2 * HOUR);
    await world.clock.run(21 * MINUTE);
    expect(world.state("a")).toBe("dead");
  });
});

it("a beat that is repeated later is the same sign of life", async () => {
  const world = new World();
  await world.up();
  const beat = world.made("a");
  await world.watcher.accept([beat]);
  await world.clock.run(10 * MINUTE);
  await world.watcher.accept([{ ...beat, receivedAt: world.clock.wall() }]);
  await world.clock.run(10 * MINUTE + SECOND);
  expect(world.state("a")).toBe("dead");
});

it("an agent that is removed and beats at once begins anew", async () => {
  const world = new World();
  await world.up();
  await world.beat("a", { status: "error" });
  await Promise.all([world.watcher.remove("a"), world.beat("a")]);
  const flips = await world.inner.flips("a", { limit: 9 });
  expect(flips.map(({ from, to }) => `${from} ${to}`)).toEqual(["new alive", "new failing"]);
  const [incident] = await world.inner.incidents.page({ limit: 1 });
  expect(incident?.resolved?.how).toBe("removed");
});

it("an agent that is declared no more leaves the roll, and has not recovered by that", async () => {
  const world = new World();
  const rule = { every: 3 * SECOND, grace: 2 * SECOND };
  const policy = { autoRegister: true, defaultRule: { every: HOUR, grace: MINUTE } };
  await world.up();
  await world.watcher.configure({
    ...policy,
    agents: [{ id: "a", rule, origin: "config", addedAt: world.clock.wall() }],
  });
  await world.beat("a");
  await world.clock.run(MINUTE);
  expect(world.state("a")).toBe("dead");
  await world.watcher.configure({ ...policy, agents: [] });
  expect(world.state("a")).toBeUndefined();
  const [incident] = await world.inner.incidents.page({ limit: 1 });
  expect(incident?.resolved?.how).toBe("removed");
  await world.beat("a");
  expect(world.watcher.reader.place("a")?.agent).toMatchObject({
    origin: "beat",
    rule: policy.defaultRule,
  });
});

it("a stop that takes long is not watched from its beginning", async () => {
  const world = new World();
  await world.up();
  await world.beat("a");
  let release = () => {};
  world.commit = (changes) =>
    new Promise((done) => {
      release = () => done(world.inner.commit(changes));
    });
  void world.beat("b");
  await world.clock.run(SECOND);
  const stopped = world.watcher.stop();
  await world.clock.run(HOUR);
  world.commit = (changes) => world.inner.commit(changes);
  release();
  await stopped;
  await world.up();
  expect(world.state("a")).toBe("unknown");
});

it("two pauses without a sign of life between them count as one", async () => {
  const world = new World();
  await world.up();
  await world.beat("a");
  await world.clock.run(5 * MINUTE);
  for (const length of [HOUR, 5 * MINUTE]) {
    await world.watcher.pause("a");
    await world.clock.run(length);
    await world.watcher.resume("a");
    expect(world.state("a")).not.toBe("dead");
    await world.clock.run(5 * MINUTE);
  }
  expect(world.state("a")).not.toBe("dead");
  await world.clock.run(15 * MINUTE + SECOND);
  expect(world.state("a")).toBe("dead");
});

it("a watcher that was replaced does not try again and again, and tells nobody", async () => {
  const world = new World();
  await world.up();
  await world.watcher.accept([world.made("bot")]);
  let commits = 0;
  let told = 0;
  world.watcher.onBlind(() => {
    told += 1;
  });
  world.commit = () => {
    commits += 1;
    return Promise.reject(new StoreError("fenced", "taken over"));
  };
  // It was held up, so that there is something to save at once.
  world.clock.freeze(12 * SECOND);
  await world.clock.run(MINUTE);
  expect(commits).toBe(1);
  await expect(world.watcher.accept([world.made("bot")])).rejects.toMatchObject({ code: "fenced" });
  expect(told).toBe(0);
});
