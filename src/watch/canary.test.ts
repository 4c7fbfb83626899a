import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../test/virtual-clock.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../core/duration.ts";
import { defaultPolicy, type Policy } from "../core/incident/policy.ts";
import type { Dispatch } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import { memoryStore } from "../store/memory/memory.ts";
import { CANARY_SINK, Canary, withCanary } from "./canary.ts";
import { Courier } from "./courier.ts";
import { Watcher } from "./watcher.ts";

const START = Date.parse("2026-03-02T08:00:00Z");
const RULE = { every: 15 * MINUTE, grace: 5 * MINUTE };
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const ID = "canary@here";
const PATIENCE = 15 * MINUTE;

/** A watcher with its courier and its canary; people hear at "ops". */
class World {
  readonly clock = new VirtualClock(START);
  readonly store = memoryStore();
  readonly people: string[] = [];
  readonly sunk: string[] = [];
  readonly alarms: string[] = [];
  /** Nothing arrives anywhere. */
  deaf = false;
  watcher!: Watcher;
  canary!: Canary;
  courier!: Courier;
  kill: () => void = () => {};

  async up(policy: Policy = defaultPolicy(["ops"])): Promise<void> {
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
    const telling = withCanary(policy, "here");
    this.watcher = await Watcher.load(
      { store, clock, log: SILENT, bootId: "boot", host: "here" },
      { autoRegister: true, defaultRule: RULE, agents: [], telling },
    );
    this.canary = new Canary({
      watcher: this.watcher,
      clock,
      log: SILENT,
      host: "here",
      newId: randomUUID,
      patience: () => PATIENCE,
      alarm: (problem) => this.alarms.push(problem),
      calm: () => this.alarms.push("calm"),
    });
    const send = async (dispatch: Dispatch, heard: string[], take: (dispatch: Dispatch) => unknown) => {
      if (this.deaf) return { outcome: "retry", problem: "deaf" } as const;
      heard.push(dispatch.message.title);
      await take(dispatch);
      return { outcome: "sent" } as const;
    };
    this.courier = new Courier(
      {
        clock,
        log: SILENT,
        persist: (deliveries) => this.watcher.persist({ deliveries }),
        channel: (name) => ({
          kind: "fake",
          send: (dispatch) =>
            name === CANARY_SINK
              ? send(dispatch, this.sunk, this.canary.sink.send)
              : send(dispatch, this.people, () => {}),
        }),
      },
      (await store.load()).deliveries,
    );
    this.watcher.onCommitted((changes) => this.courier.note(changes.deliveries ?? []));
    this.watcher.watch();
    this.courier.start();
    await this.canary.start();
    await this.clock.run(0);
  }

  get isOnTheRoll(): boolean {
    return this.watcher.reader.place(ID) !== undefined;
  }

  /** For how many of the next minutes it is on the roll. */
  async minutesOnTheRoll(length: number): Promise<number> {
    let minutes = 0;
    for (let passed = 0; passed < length; passed += MINUTE) {
      await this.clock.run(MINUTE);
      if (this.isOnTheRoll) minutes += 1;
    }
    return minutes;
  }
}

describe("the canary", () => {
  it("is on the roll for some minutes a day; its death arrives at its sink, and nobody else hears of it", async () => {
    const world = new World();
    await world.up();
    expect(await world.minutesOnTheRoll(9 * MINUTE)).toBe(0);
    const minutes = await world.minutesOnTheRoll(DAY);
    expect(minutes).toBeGreaterThan(0);
    expect(minutes).toBeLessThan(6);
    expect(world.sunk).toEqual([`${ID} is dead`, `${ID}: resolved (removed)`]);
    await world.clock.run(DAY);
    expect(world.sunk).toHaveLength(4);
    expect(world.people).toEqual([]);
    expect(world.alarms).toEqual([]);
    expect([...world.watcher.desk.incidents].filter(({ resolved }) => resolved === undefined)).toEqual([]);
  });

  it("raises the alarm once if its death does not arrive within its patience, and says when one does again", async () => {
    const world = new World();
    await world.up();
    world.deaf = true;
    await world.clock.run(10 * MINUTE + PATIENCE - SECOND);
    expect(world.alarms).toEqual([]);
    await world.clock.run(2 * SECOND);
    expect(world.alarms).toEqual([expect.stringContaining("no alert about it was delivered")]);
    expect(world.canary.problem).toBe(world.alarms[0]);
    expect(world.isOnTheRoll).toBe(false);
    await world.clock.run(HOUR);
    expect(world.alarms).toHaveLength(1);
    world.deaf = false;
    await world.clock.run(HOUR);
    expect(world.alarms.slice(1)).toEqual(["calm"]);
    expect(world.canary.problem).toBeUndefined();
    expect(world.people).toEqual([]);
  });

  it("heeds no silence and no quiet hours, and is never escalated to people", async () => {
    const world = new World();
    await world.up({
      ...defaultPolicy(["ops"]),
      escalate: { after: SECOND, to: ["ops"] },
      quiet: (at) => at + HOUR,
    });
    const silence = { id: "s", agents: "*", from: START, until: START + DAY, why: "", by: "ada" };
    await world.watcher.command({ kind: "silence", silence });
    await world.clock.run(HOUR);
    expect(world.sunk).toContain(`${ID} is dead`);
    expect(world.people).toEqual([]);
    expect(world.alarms).toEqual([]);
  });

  it("that a crash left behind is taken off the roll by the next start, and people hear nothing of it", async () => {
    const world = new World();
    await world.up();
    await world.clock.run(13 * MINUTE);
    expect(world.isOnTheRoll).toBe(true);
    world.kill();
    world.clock.forget();
    await world.up();
    expect(world.isOnTheRoll).toBe(false);
    await world.clock.run(5 * MINUTE);
    expect(world.people).toEqual([]);
    expect(world.alarms).toEqual([]);
  });

  it("leaves with the daemon", async () => {
    const world = new World();
    await world.up();
    await world.clock.run(13 * MINUTE);
    await world.canary.stop();
    expect(world.isOnTheRoll).toBe(false);
  });

  it("blames nobody for a night in which the machine slept", async () => {
    const world = new World();
    await world.up();
    for (let n = 0; n < 30; n++) {
      await world.clock.run(MINUTE);
      world.clock.suspend(HOUR);
    }
    expect(world.alarms).toEqual([]);
    await world.clock.run(30 * MINUTE);
    expect(world.sunk).toContain(`${ID} is dead`);
    expect(world.alarms).toEqual([]);
  });
});
