import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../test/virtual-clock.ts";
import type { Beat } from "../core/beat.ts";
import type { Receipt } from "../core/delivery/receipt.ts";
import { HOUR, MINUTE, SECOND } from "../core/duration.ts";
import { defaultPolicy, type Policy } from "../core/incident/policy.ts";
import type { Dispatch } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Changes, Store } from "../ports/store.ts";
import { memoryStore } from "../store/memory/memory.ts";
import { Courier } from "./courier.ts";
import { Watcher } from "./watcher.ts";

const START = Date.parse("2026-03-02T08:00:00Z");
const RULE = { every: 15 * MINUTE, grace: 5 * MINUTE };
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

let count = 0;

/** A watcher with its courier, and a far side that writes down what it is told. */
class World {
  readonly clock = new VirtualClock(START);
  readonly store: Store = memoryStore();
  readonly heard: string[] = [];
  readonly keys: string[] = [];
  answer: (dispatch: Dispatch) => Receipt | Promise<Receipt> = () => ({ outcome: "sent" });
  watcher!: Watcher;
  courier!: Courier;

  /** The process is gone: nothing of it happens any more. */
  kill: () => void = () => {};

  async up(telling: Policy = defaultPolicy(["ops"]), spooled: readonly string[] = []): Promise<void> {
    const { store } = this;
    let gone = false;
    this.kill = () => {
      gone = true;
    };
    const clock: Clock = {
      wall: this.clock.wall,
      monotonic: this.clock.monotonic,
      uptime: this.clock.uptime,
      soon: (call) => this.clock.soon(() => (gone ? undefined : call())),
      after: (delay, call) => this.clock.after(delay, () => (gone ? undefined : call())),
    };
    const policy = { autoRegister: true, defaultRule: RULE, agents: [], telling };
    const options = { store, clock, log: SILENT, bootId: "boot", host: "here" };
    this.watcher = await Watcher.load(options, policy);
    if (spooled.length > 0) await this.beat(spooled, { status: "error" });
    const channel = {
      kind: "fake",
      send: async (dispatch: Dispatch) => {
        this.keys.push(dispatch.key);
        const receipt = await this.answer(dispatch);
        if (receipt.outcome === "sent") this.heard.push(dispatch.message.title);
        return receipt;
      },
    };
    const { deliveries } = await store.load();
    this.courier = new Courier(
      {
        clock,
        log: SILENT,
        persist: (all) => this.watcher.persist({ deliveries: all }),
        restated: (delivery) => this.watcher.restated(delivery),
        isWithheld: (delivery) => this.watcher.isWithheld(delivery),
        channel: (name) => (name === "ops" ? channel : undefined),
      },
      deliveries,
    );
    this.watcher.onCommitted((changes) => this.courier.note(changes.deliveries ?? []));
    this.watcher.watch();
    this.courier.start();
    await this.clock.run(0);
  }

  async down(): Promise<void> {
    await this.courier.stop();
    await this.watcher.stop();
  }

  async beat(agents: readonly string[], more: Partial<Beat> = {}): Promise<void> {
    const at = this.clock.wall();
    const beats = agents.map((agent): Beat => {
      count += 1;
      return {
        id: `beat-${count}`,
        agent,
        source: "agent",
        status: "ok",
        sentAt: at,
        receivedAt: at,
        ...more,
      };
    });
    await this.watcher.accept(beats);
  }

  async acknowledge(): Promise<void> {
    const [incident] = [...this.watcher.desk.incidents];
    await this.watcher.command({ kind: "acknowledge", id: incident?.id ?? "", by: "ada" });
  }

  /** Time passes while these agents go on beating. */
  async pass(length: number, beating: readonly string[] = []): Promise<void> {
    for (let left = length; left > 0; left -= 10 * MINUTE) {
      if (beating.length > 0) await this.beat(beating);
      await this.clock.run(Math.min(left, 10 * MINUTE));
    }
  }
}

const named = (size: number, prefix = "a") => Array.from({ length: size }, (_, n) => `${prefix}${n}`);

it("what waits because a channel failed is sent at once when its settings change", async () => {
  const world = new World();
  await world.up();
  world.answer = async () => ({ outcome: "retry", problem: "wrong address" });
  await world.beat(["a0"]);
  await world.clock.run(HOUR);
  const tried = world.keys.length;
  expect(tried).toBeGreaterThan(5);
  world.answer = async () => ({ outcome: "sent" });
  await world.clock.run(0);
  expect(world.heard).toEqual([]);
  world.courier.retry(["ops", "other"]);
  await world.clock.run(0);
  expect(world.heard).toEqual(["a0 is dead"]);
  await world.down();
});

describe("an agent that dies of silence", () => {
  it("is told once, after the hold, and again when it is back", async () => {
    const world = new World();
    await world.up();
    await world.beat(["a0", "a1"]);
    await world.pass(20 * MINUTE, ["a1"]);
    await world.clock.run(MINUTE);
    expect(world.heard).toEqual([]);
    await world.clock.run(2 * MINUTE);
    expect(world.heard).toEqual(["a0 is dead"]);
    await world.pass(HOUR, ["a1"]);
    await world.beat(["a0"]);
    await world.clock.run(MINUTE);
    expect(world.heard).toEqual(["a0 is dead", "a0: resolved (recovered)"]);
  });

  it("before anybody watched, by a beat that waited in the spool, is told too", async () => {
    const world = new World();
    await world.up(undefined, ["a0"]);
    await world.clock.run(5 * MINUTE);
    expect(world.heard).toEqual(["a0 is failing"]);
  });

  it("and comes back within the hold is not told at all", async () => {
    const world = new World();
    await world.up();
    await world.beat(["a0"]);
    await world.clock.run(21 * MINUTE);
    await world.beat(["a0"]);
    await world.pass(10 * MINUTE, ["a0"]);
    expect(world.heard).toEqual([]);
    const [incident] = await world.store.incidents.page({ limit: 9 });
    expect(incident).toMatchObject({ subject: "a0", resolved: { how: "recovered" } });
  });

  it("is told again every four hours until somebody acknowledges it", async () => {
    const world = new World();
    await world.up();
    await world.beat(["a0"]);
    await world.clock.run(9 * HOUR);
    expect(world.heard).toEqual(["a0 is dead", "a0 is still dead", "a0 is still dead"]);
    await world.acknowledge();
    await world.clock.run(9 * HOUR);
    expect(world.heard).toHaveLength(3);
  });

  it("is escalated to the next place if nobody acknowledges it", async () => {
    const world = new World();
    await world.up({ ...defaultPolicy(["nowhere"]), escalate: { after: 15 * MINUTE, to: ["ops"] } });
    await world.beat(["a0"]);
    await world.clock.run(30 * MINUTE);
    expect(world.heard).toEqual([]);
    await world.clock.run(8 * MINUTE);
    expect(world.heard).toEqual(["a0 is dead and not acknowledged"]);
    const refused = await world.store.deliveries.page({ limit: 9, to: "nowhere" });
    expect(refused[0]).toMatchObject({ state: "refused", problem: expect.stringContaining("nowhere") });
  });

  it("is told after a silence if it is still true then, and never if it is not", async () => {
    const world = new World();
    await world.up();
    await world.beat(["a0", "b0"]);
    const silence = {
      id: "s1",
      agents: "a*",
      from: START,
      until: START + 2 * HOUR,
      why: "upgrade",
      by: "ada",
    };
    await world.watcher.command({ kind: "silence", silence });
    await world.clock.run(HOUR);
    expect(world.heard).toEqual(["b0 is dead"]);
    await world.clock.run(HOUR + MINUTE);
    expect(world.heard).toEqual(["b0 is dead", "a0 is dead"]);
  });

  it.each([
    ["is told after the silence, if it is still true then", false, ["a0 is dead"]],
    ["is never told, if it is over by then", true, []],
  ])("that is silenced while its message waits for others %s", async (_, recovers, heard) => {
    const world = new World();
    await world.up();
    await world.beat(["a0"]);
    await world.clock.run(22 * MINUTE + 10 * SECOND);
    expect(await world.store.deliveries.page({ limit: 9, state: "under-way" })).toHaveLength(1);
    const now = world.clock.wall();
    const silence = { id: "s1", agents: "a0", from: now, until: now + HOUR, why: "", by: "ada" };
    await world.watcher.command({ kind: "silence", silence });
    await world.clock.run(30 * MINUTE);
    expect(world.heard).toEqual([]);
    if (recovers) await world.pass(40 * MINUTE, ["a0"]);
    else await world.clock.run(40 * MINUTE);
    expect(world.heard).toEqual(heard);
    expect(await world.store.deliveries.page({ limit: 9, state: "under-way" })).toEqual([]);
  });

  it("is not told again by the next watcher", async () => {
    const world = new World();
    await world.up();
    await world.beat(["a0"]);
    await world.clock.run(HOUR);
    await world.down();
    await world.up();
    await world.clock.run(2 * HOUR);
    expect(world.heard).toEqual(["a0 is dead"]);
  });

  it("is reminded of and escalated again if it dies again after its acknowledged trouble was over", async () => {
    const world = new World();
    await world.up({ ...defaultPolicy(["ops"]), escalate: { after: 15 * MINUTE, to: ["ops"] } });
    await world.beat(["a0"]);
    await world.clock.run(25 * MINUTE);
    await world.acknowledge();
    await world.clock.run(9 * HOUR);
    expect(world.heard).toEqual(["a0 is dead"]);
    await world.beat(["a0"]);
    await world.clock.run(MINUTE);
    await world.beat(["a0"], { status: "error" });
    await world.clock.run(30 * MINUTE);
    expect(world.heard.slice(1)).toEqual([
      "a0: resolved (recovered)",
      "a0 is failing",
      "a0 is failing and not acknowledged",
      "a0 is dead",
    ]);
    await world.clock.run(5 * HOUR);
    expect(world.heard.slice(5)).toEqual(["a0 is still dead"]);
  });

  it("stays acknowledged while it flaps", async () => {
    const world = new World();
    await world.up();
    const fails = async () => {
      await world.beat(["a0"], { status: "error" });
      await world.clock.run(5 * MINUTE);
      await world.beat(["a0"]);
      await world.clock.run(MINUTE);
    };
    for (let n = 0; n < 3; n++) await fails();
    expect(world.heard.at(-1)).toBe("a0 is flapping: in trouble 3 times within a day");
    const told = world.heard.length;
    await world.acknowledge();
    for (let n = 0; n < 30; n++) await fails();
    await world.beat(["a0"], { status: "error" });
    for (let n = 0; n < 60; n++) {
      await world.clock.run(5 * MINUTE);
      await world.beat(["a0"], { status: "error" });
    }
    expect(world.heard.slice(told)).toEqual([]);
  });

  it("is told as flapping the third time within a day, and then only that it is over", async () => {
    const world = new World();
    await world.up();
    for (let n = 0; n < 5; n++) {
      await world.beat(["a0"]);
      await world.clock.run(HOUR);
    }
    await world.pass(3 * HOUR, ["a0"]);
    expect(world.heard).toEqual([
      "a0 is dead",
      "a0: resolved (recovered)",
      "a0 is dead",
      "a0: resolved (recovered)",
      "a0 is flapping: in trouble 3 times within a day",
      "a0: resolved (calm)",
    ]);
  });

  it("is told while it flaps when it is worse than before, and when it lasts for an hour", async () => {
    const world = new World();
    await world.up();
    for (let n = 0; n < 3; n++) {
      await world.beat(["a0"], { status: "error" });
      await world.clock.run(MINUTE);
      await world.beat(["a0"]);
      await world.clock.run(MINUTE);
    }
    expect(world.heard.at(-1)).toBe("a0 is flapping: in trouble 3 times within a day");
    await world.clock.run(30 * MINUTE);
    expect(world.heard.at(-1)).toBe("a0 is dead");
    await world.beat(["a0"]);
    await world.clock.run(HOUR);
    expect(world.heard.at(-1)).toBe("a0 is dead");
    await world.clock.run(HOUR);
    expect(world.heard.slice(-2)).toEqual(["a0 is dead", "a0 is still dead"]);
  });

  it("does not flap because it is paused and resumed", async () => {
    const world = new World();
    await world.up();
    await world.beat(["a0"]);
    await world.clock.run(HOUR);
    for (let n = 0; n < 3; n++) {
      await world.watcher.pause("a0");
      await world.clock.run(MINUTE);
      await world.watcher.resume("a0");
      await world.clock.run(30 * MINUTE);
    }
    expect(world.heard).toContain("a0 is dead");
    expect(world.heard.filter((said) => said.includes("flapping"))).toEqual([]);
  });

  it("flaps when it fails again and again after it was resumed and had recovered", async () => {
    const world = new World();
    await world.up();
    await world.beat(["a0"]);
    for (let n = 0; n < 3; n++) {
      await world.watcher.pause("a0");
      await world.clock.run(MINUTE);
      await world.beat(["a0"]);
      await world.watcher.resume("a0");
      await world.clock.run(HOUR);
    }
    expect(world.heard).toContain("a0 is flapping: in trouble 3 times within a day");
  });

  it("is told of every question that it asks, and that is no flapping", async () => {
    const world = new World();
    await world.up();
    for (let n = 0; n < 4; n++) {
      await world.beat(["a0"], { state: "waiting" });
      await world.clock.run(2 * MINUTE);
      await world.beat(["a0"], { state: "working" });
      await world.clock.run(2 * MINUTE);
    }
    await world.clock.run(HOUR);
    const question = ["a0 is waiting", "a0: resolved (recovered)"];
    expect(world.heard).toEqual([...question, ...question, ...question, ...question, "a0 is dead"]);
  });

  it("is told of a question also while it flaps", async () => {
    const world = new World();
    await world.up();
    for (let n = 0; n < 3; n++) {
      await world.beat(["a0"]);
      await world.clock.run(HOUR);
    }
    await world.beat(["a0"], { state: "working" });
    await world.clock.run(MINUTE);
    await world.beat(["a0"], { state: "waiting" });
    await world.clock.run(2 * MINUTE);
    expect(world.heard.slice(-2)).toEqual([
      "a0 is flapping: in trouble 3 times within a day",
      "a0 is waiting",
    ]);
  });
});

describe("many at once", () => {
  it("who fall silent are one incident of their group, which ends when half of them are back", async () => {
    const world = new World();
    await world.up();
    const all = named(40);
    await world.beat(all);
    await world.pass(40 * MINUTE, all.slice(10));
    expect(world.heard).toEqual(["group default: 10 agents fell silent at once"]);
    await world.pass(10 * MINUTE, all.slice(5));
    await world.clock.run(MINUTE);
    expect(world.heard).toEqual([
      "group default: 10 agents fell silent at once",
      "group default: resolved (recovered)",
    ]);
    // Those who are still silent speak for themselves again, and were named.
    await world.pass(20 * MINUTE, all);
    expect(world.heard.slice(2)).toEqual(["5 messages: 5 resolved"]);
  });

  it("are all named by the message that leaves, also those who fell silent while it waited", async () => {
    const world = new World();
    await world.up();
    await world.beat(named(3));
    await world.clock.run(2 * MINUTE + 10 * SECOND);
    await world.beat(["a3", "a4"]);
    // The first three have been held; their message waits for others to go out with it.
    await world.clock.run(20 * MINUTE + 5 * SECOND);
    expect(world.heard).toEqual([]);
    await world.clock.run(MINUTE);
    expect(world.heard).toEqual(["group default: 5 agents fell silent at once"]);
    // It told all of it: no update follows.
    await world.clock.run(30 * MINUTE);
    expect(world.heard).toHaveLength(1);
  });

  it("who fall silent after the message has left are told in an update", async () => {
    const world = new World();
    await world.up();
    await world.beat(named(3));
    await world.clock.run(3 * MINUTE);
    await world.beat(["a3", "a4"]);
    await world.clock.run(25 * MINUTE);
    expect(world.heard).toEqual([
      "group default: 3 agents fell silent at once",
      "group default: 5 agents fell silent at once",
    ]);
  });

  it("who are never heard again are one incident for two hours at most", async () => {
    const world = new World();
    await world.up();
    await world.beat(named(5));
    await world.clock.run(3 * HOUR);
    expect(world.heard).toEqual([
      "group default: 5 agents fell silent at once",
      "group default: resolved (over)",
    ]);
    expect(await world.store.incidents.page({ limit: 99, state: "open" })).toHaveLength(5);
  });

  it("who say error one after the other within ten seconds are told in one message", async () => {
    const world = new World();
    await world.up();
    for (let n = 0; n < 10; n++) {
      await world.beat(named(50, `a${n}-`), { status: "error" });
      await world.clock.run(SECOND);
    }
    await world.clock.run(MINUTE);
    expect(world.heard).toEqual(["500 messages: 500 warning"]);
  });

  it("who say error within half a minute are told in one message", async () => {
    const world = new World();
    await world.up();
    const all = named(500);
    await world.beat(all);
    await world.beat(all, { status: "error" });
    await world.clock.run(MINUTE);
    expect(world.heard).toEqual(["500 messages: 500 warning"]);
  });
});

describe("a far side that misbehaves", () => {
  it("is tried again with the same key until it takes the message", async () => {
    const world = new World();
    let refusals = 5;
    world.answer = () => (refusals-- > 0 ? { outcome: "retry", problem: "500" } : { outcome: "sent" });
    await world.up();
    await world.beat(["a0"], { status: "error" });
    await world.clock.run(5 * MINUTE);
    expect(world.heard).toEqual(["a0 is failing"]);
    expect(new Set(world.keys).size).toBe(1);
    expect(world.keys).toHaveLength(6);
  });

  it("that never answers is left after half a minute and tried again under the same key", async () => {
    const world = new World();
    let attempts = 0;
    world.answer = ({ abort }) => {
      attempts += 1;
      if (attempts > 2) return { outcome: "sent" };
      return new Promise<Receipt>((done) => {
        abort.addEventListener("abort", () => done({ outcome: "retry", problem: "no answer" }));
      });
    };
    await world.up();
    await world.beat(["a0"], { status: "error" });
    await world.clock.run(MINUTE);
    expect(attempts).toBe(1);
    await world.clock.run(MINUTE);
    expect(world.heard).toEqual(["a0 is failing"]);
    expect(new Set(world.keys).size).toBe(1);
  });

  it("that asks for a pause gets it", async () => {
    const world = new World();
    world.answer = ({ attempt }) =>
      attempt === 1 ? { outcome: "retry", problem: "429", after: 10 * MINUTE } : { outcome: "sent" };
    await world.up();
    await world.beat(["a0"], { status: "error" });
    await world.clock.run(9 * MINUTE);
    expect(world.keys).toHaveLength(1);
    await world.clock.run(2 * MINUTE);
    expect(world.heard).toEqual(["a0 is failing"]);
  });

  it("that is down for three days is given up, and that is on record", async () => {
    const world = new World();
    world.answer = () => ({ outcome: "retry", problem: "no route" });
    await world.up({ ...defaultPolicy(["ops"]), remindEvery: 999 * HOUR });
    await world.beat(["a0"], { status: "error" });
    await world.clock.run(73 * HOUR);
    const [delivery] = await world.store.deliveries.page({ limit: 9 });
    expect(delivery).toMatchObject({ state: "expired", problem: "no route" });
  });

  it("hears once what the store does not take down, which is asked less and less often", async () => {
    const world = new World();
    await world.up();
    const { commit } = world.store;
    const asked: number[] = [];
    let broken = true;
    world.answer = () => {
      Object.assign(world.store, {
        commit: (changes: Changes) => {
          if (!broken) return commit(changes);
          if ((changes.deliveries ?? []).length > 0) asked.push(world.clock.wall() - START);
          return Promise.reject(new Error("disk full"));
        },
      });
      return { outcome: "sent" };
    };
    await world.beat(["a0"], { status: "error" });
    await world.clock.run(2 * MINUTE + 33 * SECOND);
    const waits = asked.slice(1).map((at, n) => (at - (asked[n] ?? 0)) / SECOND);
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
    broken = false;
    await world.clock.run(MINUTE);
    expect(world.heard).toEqual(["a0 is failing"]);
    expect(await world.store.deliveries.page({ limit: 9 })).toMatchObject([{ state: "sent" }]);
  });

  it("hears what a killed watcher had claimed again, under the same key", async () => {
    const world = new World();
    const never = new Promise<Receipt>(() => {});
    await world.up();
    await world.beat(["a0", "a1"], { status: "error" });
    world.answer = () => never;
    await world.clock.run(MINUTE);
    expect(world.keys).toHaveLength(1);
    world.kill();
    world.answer = () => ({ outcome: "sent" });
    await world.up();
    await world.clock.run(MINUTE);

    expect(world.heard).toEqual(["2 messages: 2 warning"]);
    expect(new Set(world.keys).size).toBe(1);
  });

  it("may end its answer when the watcher stops, so that nothing is sent twice", async () => {
    const world = new World();
    let answer: (receipt: Receipt) => void = () => {};
    world.answer = ({ abort }) =>
      new Promise<Receipt>((done) => {
        answer = done;
        abort.addEventListener("abort", () => done({ outcome: "retry", problem: "cut short" }));
      });
    await world.up();
    await world.beat(["a0"], { status: "error" });
    await world.clock.run(MINUTE / 2);
    const down = world.down();
    await world.clock.run(100);
    answer({ outcome: "sent" });
    await down;
    world.answer = () => ({ outcome: "sent" });
    await world.up();
    await world.clock.run(MINUTE);
    expect(world.heard).toEqual(["a0 is failing"]);
  });

  it("says nothing of what was over before anybody had been told", async () => {
    const world = new World();
    await world.up();
    await world.beat(["a0"], { status: "error" });
    await world.clock.run(10 * SECOND);
    await world.beat(["a0"]);
    await world.clock.run(10 * MINUTE);
    expect(world.keys).toEqual([]);
    const rows = await world.store.deliveries.page({ limit: 9 });
    expect(rows.map(({ state }) => state)).toEqual(["superseded", "superseded"]);
  });
});
