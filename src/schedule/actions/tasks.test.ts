import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { VirtualClock } from "../../../test/virtual-clock.ts";
import type { Outgoing, Run } from "../../core/action/state.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../core/duration.ts";
import { ALL_CAPABILITIES } from "../../core/task/capabilities.ts";
import type { ActionStore } from "../../ports/action-store.ts";
import { openTaskSource } from "../../tasks/registry.ts";
import type { HeartbeatAction } from "../engine/action.ts";
import { ActionScheduler } from "../engine/action-scheduler.ts";
import { memoryActionStore } from "../engine/memory-store.ts";
import { DailySummaryAction, PortfolioMonitorAction, TaskScanAction } from "./tasks.ts";

const T = Date.parse("2026-03-10T10:00Z");
const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** A file of tasks and a store that outlive the schedulers, of which each run has a new one: a restart in between. */
class World {
  readonly clock = new VirtualClock(T);
  readonly said: string[] = [];
  readonly #store: ActionStore = memoryActionStore(({ text }: Outgoing) => this.said.push(text));
  readonly #file: string;
  readonly #home: string;

  constructor() {
    this.#home = mkdtempSync(join(tmpdir(), "rollcall-actions-"));
    onTestFinished(() => rmSync(this.#home, { recursive: true, force: true }));
    this.#file = join(this.#home, "tasks.json");
  }

  list(...tasks: readonly object[]): void {
    this.write(JSON.stringify(tasks));
  }

  write(text: string): void {
    writeFileSync(this.#file, text);
  }

  remove(): void {
    rmSync(this.#file);
  }

  /** Runs it once in a process of its own, and gives its entry and what was said because of it. */
  async run(action: HeartbeatAction): Promise<Run & { readonly said: readonly string[] }> {
    const before = this.said.length;
    const env = {};
    const tasks = openTaskSource({}, { home: this.#home, me: "me", env, now: this.clock.wall });
    const runtime = { agent: { id: "me" }, tasks };
    const scheduler = new ActionScheduler({ store: this.#store, clock: this.clock, log: silent, runtime });
    scheduler.add(action, { cron: "0 0 1 1 *" });
    await scheduler.start();
    const run = await scheduler.run(action.name);
    await scheduler.stop();
    await this.clock.run(1);
    return { ...run, said: this.said.slice(before) };
  }
}

const open = (id: string, more: object = {}) => ({
  id,
  creator: "somebody",
  capabilities: "1",
  reward: "100",
  ...more,
});
const ours = (id: string, more: object = {}) => open(id, { status: "claimed", claimedBy: ["me"], ...more });
const done = (id: string, at: number, more: object = {}) =>
  ours(id, { status: "completed", completedAt: Math.floor(at / SECOND), ...more });

describe("every action of tasks", () => {
  const clock = new VirtualClock(T);
  const scan = new TaskScanAction({ minReward: 0n, capabilities: 1n, clock });
  const unasked = new DailySummaryAction({ clock, always: false });
  const all = [scan, new PortfolioMonitorAction({ clock }), new DailySummaryAction({ clock })];
  it.each(all.map((action) => [action.name, action] as const))(
    "%s fails with a source that fails, and says nothing",
    async (_, action) => {
      const world = new World();
      world.write('[{"id": 1, "creator": "x", "capabilities": 1, "reward": -5}]');
      const run = await world.run(action);
      expect(run).toMatchObject({ outcome: "failed", said: [] });
      expect(run.problem).toMatch(/tasks\.json.*reward/);
    },
  );

  it.each(
    [scan, new PortfolioMonitorAction({ clock }), unasked].map((action) => [action.name, action] as const),
  )("%s is skipped where there is no source, and nobody is told however often that is", async (_, action) => {
    const world = new World();
    for (let n = 0; n < 4; n++) {
      expect(await world.run(action)).toMatchObject({ outcome: "skipped", reason: "no-source", said: [] });
    }
  });

  it("task-scan is skipped in a program that brings no task operations", async () => {
    const scheduler = new ActionScheduler({ clock, log: silent });
    scheduler.add(scan, { every: HOUR });
    await scheduler.start();
    expect(await scheduler.run("task-scan")).toMatchObject({ outcome: "skipped", reason: "no-source" });
    await scheduler.stop();
  });
});

describe("task-scan", () => {
  it.each([
    [0n, ALL_CAPABILITIES, "tells of new tasks"],
    [5n, ALL_CAPABILITIES, "tells of new tasks that pay at least 5"],
    [0n, 3n, "tells of new tasks that need no more than COMPUTE, INFERENCE"],
    [5n, 1n, "tells of new tasks that pay at least 5 and need no more than COMPUTE"],
  ])("with a reward of %s and the mask %s it %s", (minReward, capabilities, says) => {
    expect(new TaskScanAction({ minReward, capabilities, clock: new VirtualClock(T) }).description).toBe(
      says,
    );
  });

  const found = (count: number) => [`Found ${count} new tasks matching your capabilities`];
  const scanOf = (world: World, minReward = 0n, capabilities = 3n) =>
    new TaskScanAction({ minReward, capabilities, clock: world.clock });

  it("tells of those that pay enough and need no more than is held", async () => {
    const world = new World();
    world.list(
      open("enough"),
      open("none-needed", { capabilities: 0 }),
      open("both", { capabilities: ["COMPUTE", "INFERENCE"], reward: "18446744073709551615" }),
      open("too-cheap", { reward: 99 }),
      open("one-bit-more", { capabilities: 5 }),
      open("taken", { status: "claimed" }),
      open("late", { deadline: T / SECOND }),
    );
    const run = await world.run(scanOf(world, 100n));
    expect(run).toMatchObject({ outcome: "done", said: found(3) });
    expect(run.metadata).toEqual({
      count: 3,
      tasks: [
        { id: "enough", reason: "new", reward: "100" },
        { id: "none-needed", reason: "new", reward: "100" },
        { id: "both", reason: "new", reward: "18446744073709551615" },
      ],
    });
  });

  it("compares rewards over 2^53 digit for digit", async () => {
    const world = new World();
    world.list(open("a", { reward: "9007199254740992" }), open("b", { reward: "9007199254740993" }));
    const run = await world.run(scanOf(world, 9007199254740993n));
    expect(run.metadata).toMatchObject({ count: 1, tasks: [{ id: "b" }] });
  });

  it("is quiet where nothing matches", async () => {
    const world = new World();
    world.list(open("a", { capabilities: 4 }));
    expect(await world.run(scanOf(world))).toMatchObject({ outcome: "done", said: [] });
  });

  it("C3: tells of a task once, also across restarts, and again when it pays more or is there again", async () => {
    const world = new World();
    const scan = () => world.run(scanOf(world)).then(({ said }) => said);
    world.list(open("a"), open("b"));
    expect(await scan()).toEqual(found(2));
    expect(await scan()).toEqual([]);
    world.list(open("a"), open("b"), open("c"));
    expect(await scan()).toEqual(found(1));
    world.list(open("a", { reward: "101" }), open("b", { reward: "99" }), open("c"));
    expect(await scan()).toEqual(found(1));
    world.list(open("a", { reward: "100" }), open("b", { reward: "100" }), open("c"));
    expect(await scan()).toEqual([]);
    world.list(open("a"), open("b", { status: "claimed" }), open("c"));
    expect(await scan()).toEqual([]);
    world.list(open("a"), open("b"), open("c"));
    expect(await scan()).toEqual(found(1));
  });

  it("forgets nothing when the source fails or is gone for a while", async () => {
    const world = new World();
    world.list(open("a"));
    expect((await world.run(scanOf(world))).said).toEqual(found(1));
    world.write("[");
    expect((await world.run(scanOf(world))).outcome).toBe("failed");
    world.remove();
    expect((await world.run(scanOf(world))).outcome).toBe("skipped");
    world.list(open("a"));
    expect(await world.run(scanOf(world))).toMatchObject({ outcome: "done", said: [] });
  });
});

describe("daily-summary", () => {
  const says = (completions: number, earned: string) => [
    `Daily summary: ${completions} tasks completed, ${earned} earned`,
  ];

  it("C4: always sends where the config names it, also without a source or where nothing was done", async () => {
    const world = new World();
    expect((await world.run(new DailySummaryAction({ clock: world.clock }))).said).toEqual(says(0, "0"));
    world.list();
    expect((await world.run(new DailySummaryAction({ clock: world.clock }))).said).toEqual(says(0, "0"));
  });

  it("that nobody named sends where there is a source", async () => {
    const world = new World();
    world.list();
    expect((await world.run(new DailySummaryAction({ clock: world.clock, always: false }))).said).toEqual(
      says(0, "0"),
    );
  });

  it("C4: counts what we completed in the last day at first, and then since the last summary", async () => {
    const world = new World();
    const summary = () => world.run(new DailySummaryAction({ clock: world.clock })).then(({ said }) => said);
    const before = [
      done("old", T - 25 * HOUR),
      done("a", T - 23 * HOUR),
      done("b", T - HOUR, { token: "USDC" }),
    ];
    world.list(...before, done("theirs", T - HOUR, { claimedBy: ["somebody"] }));
    expect(await summary()).toEqual(says(2, "100 and 100 USDC"));
    // Two days are missed; each completion is counted once.
    await world.clock.run(3 * DAY);
    const after = [done("c", T + HOUR), done("d", T + 50 * HOUR, { reward: "18446744073709551615" })];
    world.list(...before, ...after);
    expect(await summary()).toEqual(says(2, "18446744073709551715"));
    expect(await summary()).toEqual(says(0, "0"));
  });

  it("loses nothing to a source that fails or is gone on its day", async () => {
    const world = new World();
    const summary = () => world.run(new DailySummaryAction({ clock: world.clock })).then(({ said }) => said);
    world.list();
    expect(await summary()).toEqual(says(0, "0"));
    await world.clock.run(DAY);
    world.write("[");
    expect(await summary()).toEqual([]);
    world.remove();
    expect(await summary()).toEqual(says(0, "0"));
    await world.clock.run(DAY);
    world.list(done("a", T + HOUR), done("b", T + 30 * HOUR));
    expect(await summary()).toEqual(says(2, "200"));
  });
});

describe("portfolio-monitor", () => {
  const deadline = (at: number) => ({ deadline: at / SECOND });

  it("C5: tells of a deadline in two hours, again for each hour fewer, and when it passed", async () => {
    const world = new World();
    const monitor = () =>
      world.run(new PortfolioMonitorAction({ clock: world.clock })).then(({ said }) => said);
    world.list(
      ours("7", deadline(T + 3 * HOUR)),
      ours("none"),
      open("theirs", { ...deadline(T + HOUR), claimedBy: ["somebody"] }),
    );
    expect(await monitor()).toEqual([]);
    await world.clock.run(HOUR);
    expect(await monitor()).toEqual(["Alert: Task #7 deadline in 2 hours"]);
    await world.clock.run(20 * MINUTE);
    expect(await monitor()).toEqual([]);
    await world.clock.run(40 * MINUTE);
    expect(await monitor()).toEqual(["Alert: Task #7 deadline in 1 hour"]);
    await world.clock.run(HOUR);
    expect(await monitor()).toEqual(["Alert: Task #7 deadline passed"]);
    await world.clock.run(HOUR);
    expect(await monitor()).toEqual([]);
  });

  it("C5: tells of a dispute once while it lasts, and all alerts of a run in one message", async () => {
    const world = new World();
    const monitor = () => world.run(new PortfolioMonitorAction({ clock: world.clock }));
    world.list(ours("1", { status: "disputed" }), ours("2", deadline(T + HOUR)));
    const run = await monitor();
    expect(run.said).toEqual(["Alert: Task #2 deadline in 1 hour\nAlert: Task #1 is disputed"]);
    expect(run.metadata).toEqual({
      alerts: [
        { id: "2", kind: "deadline" },
        { id: "1", kind: "dispute" },
      ],
    });
    expect((await monitor()).said).toEqual([]);
    world.list(ours("1"));
    expect((await monitor()).said).toEqual([]);
    world.list(ours("1", { status: "disputed" }));
    expect((await monitor()).said).toEqual(["Alert: Task #1 is disputed"]);
  });

  it("takes another threshold", async () => {
    const world = new World();
    world.list(ours("7", deadline(T + 5 * HOUR)));
    const { said } = await world.run(new PortfolioMonitorAction({ thresholdHours: 6, clock: world.clock }));
    expect(said).toEqual(["Alert: Task #7 deadline in 5 hours"]);
  });
});

describe("C1: an action that another program runs by itself", () => {
  const clock = new VirtualClock(T);
  const deadline = Math.floor((T + 90 * MINUTE) / SECOND);
  const aborts: AbortSignal[] = [];
  /** A scanner of the program's own: it knows no more of a task than the actions ask for. */
  const source = {
    claimable: async (abort: AbortSignal) => {
      aborts.push(abort);
      return [{ id: "7", reward: 200n, capabilities: 1n }];
    },
    mine: async () => [{ id: "8", status: "claimed" as const, deadline }],
    disputes: async () => [{ id: "9" }],
    completedSince: async () => [
      { status: "completed" as const, completedAt: Math.floor(T / SECOND) - 60, reward: 5n },
    ],
  };
  const scan = () => new TaskScanAction({ minReward: 100, capabilities: ["COMPUTE"], source, clock });

  it("asks the source that it was given, and remembers by itself where the session has no memory", async () => {
    const context = { gateway: {}, runtime: {}, session: { id: "s" }, logger: console };
    const action = scan();
    expect(await action.execute(context)).toMatchObject({
      shouldNotify: true,
      message: "Found 1 new tasks matching your capabilities",
      metadata: { count: 1 },
    });
    expect(await action.execute(context)).toEqual({ shouldNotify: false });
    expect(aborts.every(({ aborted }) => !aborted)).toBe(true);
  });

  it("remembers in the session where that has a memory, which may answer later", async () => {
    const kept = new Map<string, unknown>();
    const memory = {
      get: async (key: string) => kept.get(key),
      set: async (key: string, value: unknown) => void kept.set(key, value),
    };
    expect(await scan().execute({ session: { memory } })).toMatchObject({ shouldNotify: true });
    expect(await scan().execute({ session: { memory } })).toEqual({ shouldNotify: false });
  });

  it("sums up and warns from the same source", async () => {
    expect(await new DailySummaryAction({ source, clock }).execute()).toMatchObject({
      message: "Daily summary: 1 tasks completed, 5 earned",
    });
    expect(await new PortfolioMonitorAction({ source, clock }).execute()).toMatchObject({
      message: "Alert: Task #8 deadline in 2 hours\nAlert: Task #9 is disputed",
    });
  });

  it.each([
    [() => new TaskScanAction({ minReward: -1 }), /^action task-scan: minReward is -1; expected/],
    [
      () => new TaskScanAction({ capabilities: ["COMPUT"] }),
      /capabilities\[0\] is .*COMPUT.*; expected "COMPUTE"$/,
    ],
    [
      () => new PortfolioMonitorAction({ thresholdHours: 0 }),
      /thresholdHours is 0; expected a number of hours$/,
    ],
  ])("refuses settings that make no sense", (make, says) => {
    expect(make).toThrow(says);
  });
});
