import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../test/virtual-clock.ts";
import type { ActionChange, Outgoing, Run } from "../../core/action/state.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../core/duration.ts";
import type { ActionStore } from "../../ports/action-store.ts";
import type { HeartbeatAction, HeartbeatContext, HeartbeatResult } from "./action.ts";
import { ActionScheduler, type SchedulerOptions } from "./action-scheduler.ts";
import { memoryActionStore } from "./memory-store.ts";

const T = Date.parse("2026-03-10T10:01Z");
const QUIET: HeartbeatResult = { shouldNotify: false };
const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** A world that outlives the schedulers in it. */
class World {
  readonly clock = new VirtualClock(T);
  readonly said: Outgoing[] = [];
  readonly store: ActionStore = memoryActionStore((message) => this.said.push(message));

  scheduler(more: SchedulerOptions = {}): ActionScheduler {
    return new ActionScheduler({ store: this.store, clock: this.clock, log: silent, ...more });
  }

  async runs(action = "scan"): Promise<readonly Run[]> {
    return [...(await this.store.runs(action, { limit: 1000 }))].reverse();
  }

  async outcomes(action = "scan"): Promise<readonly string[]> {
    return (await this.runs(action)).map(({ dueAt, outcome, reason, count }) =>
      [time(dueAt), outcome, reason, count].filter((part) => part !== undefined).join(" "),
    );
  }
}

const time = (at: number) => new Date(at).toISOString().slice(11, 19);

function action(
  name: string,
  execute: (context: HeartbeatContext) => Promise<HeartbeatResult> = async () => QUIET,
): HeartbeatAction {
  return { name, description: `does ${name}`, execute };
}

const never = () => new Promise<HeartbeatResult>(() => {});
const untilAborted = ({ abort }: HeartbeatContext) =>
  new Promise<HeartbeatResult>((_, failed) =>
    abort.addEventListener("abort", () => failed(abort.reason as Error)),
  );

describe("the scheduler", () => {
  it("C1, C6: runs actions when they are due, at a pace and by the calendar", async () => {
    const world = new World();
    const scheduler = world.scheduler();
    scheduler.add(action("scan"), { every: 5 * MINUTE });
    scheduler.add(action("daily"), { cron: "7 11 * * *" }, { timezone: "Europe/Berlin" });
    await scheduler.start();
    await world.clock.run(11 * MINUTE);
    expect(await world.outcomes()).toEqual(["10:05:00 done", "10:10:00 done"]);
    expect(await world.outcomes("daily")).toEqual(["10:07:00 done"]);
    await scheduler.stop();
  });

  it("C2: is quiet unless a result says otherwise; metadata goes to the history", async () => {
    const world = new World();
    const scheduler = world.scheduler();
    const results = [
      { shouldNotify: false, message: "not for you", metadata: { reward: 5n } },
      { shouldNotify: true, message: "Found 2" },
    ];
    scheduler.add(
      action("scan", async () => results.shift() ?? QUIET),
      { every: 5 * MINUTE },
    );
    await scheduler.start();
    await world.clock.run(15 * MINUTE);
    expect(world.said.map(({ key, text }) => [key, text])).toEqual([
      [`action:scan:${Date.parse("2026-03-10T10:10Z")}`, "Found 2"],
    ]);
    expect((await world.runs()).map(({ message, metadata }) => [message, metadata])).toEqual([
      [undefined, { reward: "5" }],
      ["Found 2", undefined],
      [undefined, undefined],
    ]);
    await scheduler.stop();
  });

  it("C2: isolates an action that fails, tells of it after three times, and says when it works again", async () => {
    const world = new World();
    const scheduler = world.scheduler();
    let broken = true;
    const execute = () => {
      if (broken) throw new Error("no route");
      return Promise.resolve(QUIET);
    };
    scheduler.add(action("scan", execute), { every: MINUTE });
    scheduler.add(action("other"), { every: MINUTE });
    await scheduler.start();
    await world.clock.run(2 * MINUTE);
    expect(world.said).toEqual([]);
    await world.clock.run(3 * MINUTE);
    broken = false;
    await world.clock.run(2 * MINUTE);
    expect(world.said.map(({ text, severity }) => [text, severity])).toEqual([
      ["Action scan failed 3 times in a row: no route", "error"],
      ["Action scan works again", "info"],
    ]);
    expect((await world.outcomes("other")).length).toBe(7);
    await scheduler.stop();
  });

  it.each([
    ["no result", undefined, /its result is undefined/],
    ["no shouldNotify", {}, /shouldNotify of its result is undefined/],
    ["nothing to send", { shouldNotify: true, message: " " }, /no message to send/],
    ["a message that is no text", { shouldNotify: true, message: 5 }, /message of its result is number/],
    ["metadata that is no JSON", { shouldNotify: false, metadata: () => 1 }, /metadata .* is not JSON/],
  ])("takes %s as a failure of the run", async (_, result, problem) => {
    const world = new World();
    const scheduler = world.scheduler();
    scheduler.add(
      action("scan", async () => result as HeartbeatResult),
      { every: 5 * MINUTE },
    );
    await scheduler.start();
    await world.clock.run(5 * MINUTE);
    expect((await world.runs())[0]).toMatchObject({
      outcome: "failed",
      problem: expect.stringMatching(problem),
    });
    await scheduler.stop();
  });

  it("C2: tells a run to stop when its time is over", async () => {
    const world = new World();
    const scheduler = world.scheduler();
    scheduler.add(action("scan", untilAborted), { every: 5 * MINUTE });
    await scheduler.start();
    await world.clock.run(5 * MINUTE);
    expect((await world.runs())[0]).toMatchObject({
      outcome: "timed-out",
      problem: "it took longer than 1 min",
      endedAt: Date.parse("2026-03-10T10:06Z"),
    });
    await scheduler.stop();
  });

  it("abandons a run that does not stop, says so, and ignores what it says later", async () => {
    const world = new World();
    const scheduler = world.scheduler();
    let late: (result: HeartbeatResult) => void = () => {};
    let session: HeartbeatContext["session"] | undefined;
    const hangs = (context: HeartbeatContext) => {
      session = context.session;
      return new Promise<HeartbeatResult>((done) => {
        late = done;
      });
    };
    scheduler.add(action("scan", hangs), { every: 5 * MINUTE });
    await scheduler.start();
    await world.clock.run(6 * MINUTE);
    session?.memory.set("late", true);
    late({ shouldNotify: true, message: "too late" });
    await world.clock.run(SECOND);
    expect(await world.outcomes()).toEqual(["10:05:00 abandoned"]);
    expect((await world.runs())[0]?.problem).toMatch(/did not stop when told to, and was abandoned/);
    expect(world.said).toEqual([]);
    expect((await world.store.load())[0]?.session.memory).toEqual({});
    await scheduler.stop();
  });

  it("C6: never runs an action twice at once: what comes due meanwhile is left out, as one entry", async () => {
    const world = new World();
    const scheduler = world.scheduler();
    scheduler.add(action("scan", untilAborted), { every: MINUTE }, { timeout: 3.5 * MINUTE });
    await scheduler.start();
    await world.clock.run(4.9 * MINUTE);
    expect(await world.outcomes()).toEqual(["10:02:00 timed-out", "10:05:00 skipped overlap 3"]);
    await scheduler.stop();
  });

  it("runs no more at once than it may, and forgets nobody who waits", async () => {
    const world = new World();
    const scheduler = world.scheduler({ concurrency: 2 });
    let [now, most] = [0, 0];
    const busy = async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise<void>((done) => world.clock.after(SECOND, done));
      now -= 1;
      return QUIET;
    };
    for (let n = 0; n < 20; n++) scheduler.add(action(`a${n}`, busy), { every: 5 * MINUTE });
    await scheduler.start();
    await world.clock.run(5 * MINUTE);
    expect(most).toBe(2);
    for (let n = 0; n < 20; n++) expect(await world.outcomes(`a${n}`)).toEqual(["10:05:00 done"]);
    await scheduler.stop();
  });

  it("C6: goes on after a restart: nothing is repeated, what was missed is run once", async () => {
    const world = new World();
    const first = world.scheduler();
    first.add(action("scan"), { every: 5 * MINUTE });
    await first.start();
    await world.clock.run(5 * MINUTE);
    await first.stop();
    for (const away of [MINUTE, 20 * MINUTE]) {
      world.clock.freeze(away);
      const next = world.scheduler();
      next.add(action("scan"), { every: 5 * MINUTE });
      await next.start();
      await world.clock.run(SECOND);
      await next.stop();
    }
    expect(await world.outcomes()).toEqual([
      "10:05:00 done",
      "10:20:00 skipped missed-skipped 3",
      "10:25:00 done",
    ]);
  });

  it("does not forget what came due before the first run of a new action", async () => {
    const world = new World();
    const first = world.scheduler();
    first.add(action("scan"), { cron: "0 12 * * *" });
    await first.start();
    await first.stop();
    world.clock.freeze(3 * HOUR);
    const second = world.scheduler();
    second.add(action("scan"), { cron: "0 12 * * *" });
    await second.start();
    await world.clock.run(SECOND);
    expect(await world.outcomes()).toEqual(["12:00:00 done"]);
    await second.stop();
  });

  it("records a run that ended with the process as crashed, and repeats it once", async () => {
    const world = new World();
    for (const _ of [1, 2, 3]) {
      const killed = world.scheduler();
      killed.add(action("scan", never), { every: 5 * MINUTE });
      await killed.start();
      await world.clock.run(_ === 1 ? 4 * MINUTE : SECOND);
      // Killed: the scheduler is left as it is, and its timers with it.
      world.clock.forget();
    }
    expect(await world.outcomes()).toEqual(["10:05:00 crashed", "10:05:00 crashed"]);
    expect((await world.store.load())[0]).not.toHaveProperty("again");
  });

  it("commits what a run remembers, its end and its message in one", async () => {
    const world = new World();
    const changes: ActionChange[] = [];
    const commit = (change: ActionChange) => {
      changes.push(change);
      return world.store.commit(change);
    };
    const scheduler = world.scheduler({ store: { ...world.store, commit } });
    const execute = async ({ session, gateway }: HeartbeatContext) => {
      const seen = (session.memory.get("seen") as number | undefined) ?? 0;
      session.memory.set("seen", seen + 1);
      await gateway.send(`before: ${session.said.length}`);
      return { shouldNotify: true, message: `seen ${seen}` };
    };
    scheduler.add(action("scan", execute), { every: 5 * MINUTE });
    await scheduler.start();
    await world.clock.run(10 * MINUTE);
    const ends = changes.filter(({ say }) => say !== undefined);
    expect(
      ends.map(({ say, state, runs }) => [say?.map(({ text }) => text), state.session.memory, runs?.length]),
    ).toEqual([
      [["before: 0", "seen 0"], { seen: 1 }, 1],
      [["before: 2", "seen 1"], { seen: 2 }, 1],
    ]);
    const begins = changes.filter(({ state }) => state.running !== undefined);
    expect(begins.map(({ state }) => time(state.running?.dueAt ?? 0))).toEqual(["10:05:00", "10:10:00"]);
    await scheduler.stop();
  });

  it("waits for a store that fails: nothing runs that is not committed, and nothing is lost", async () => {
    const world = new World();
    let [broken, executed] = [false, 0];
    const commit = (change: ActionChange) =>
      broken ? Promise.reject(new Error("disk full")) : world.store.commit(change);
    const scheduler = world.scheduler({ store: { ...world.store, commit } });
    const execute = async () => {
      executed += 1;
      return { shouldNotify: true, message: `run ${executed}` };
    };
    scheduler.add(action("scan", execute), { every: 5 * MINUTE });
    await scheduler.start();
    broken = true;
    await world.clock.run(4.5 * MINUTE);
    expect(executed).toBe(0);
    broken = false;
    await world.clock.run(2 * MINUTE);
    expect(world.said.map(({ text }) => text)).toEqual(["run 1"]);
    await scheduler.stop();
  });

  it("stops: what runs is told to, is waited for, and is repeated after the next start", async () => {
    const world = new World();
    const scheduler = world.scheduler();
    scheduler.add(action("scan", untilAborted), { every: 5 * MINUTE });
    await scheduler.start();
    await world.clock.run(4 * MINUTE);
    await scheduler.stop();
    expect(await world.outcomes()).toEqual(["10:05:00 failed stopped"]);
    const next = world.scheduler();
    next.add(action("scan"), { every: 5 * MINUTE });
    await next.start();
    await world.clock.run(SECOND);
    expect(await world.outcomes()).toEqual(["10:05:00 failed stopped", "10:05:00 done"]);
    await next.stop();
  });

  it("stops in a bounded time, whatever runs", async () => {
    const world = new World();
    const scheduler = world.scheduler();
    scheduler.add(action("scan", never), { every: 5 * MINUTE });
    await scheduler.start();
    await world.clock.run(4 * MINUTE);
    const stopped = scheduler.stop();
    await world.clock.run(5 * SECOND);
    await stopped;
    expect((await world.store.load())[0]?.running).toBeDefined();
    await scheduler.start();
    expect(await world.outcomes()).toEqual(["10:05:00 crashed"]);
    const again = scheduler.stop();
    await world.clock.run(5 * SECOND);
    await again;
  });

  it.each([
    [
      "hours forwards",
      6 * HOUR,
      ["10:05:00 done", "16:00:00 skipped missed-skipped 71", "16:05:00 done", "16:10:00 done"],
    ],
    ["a little backwards", -4 * MINUTE, ["10:05:00 done", "10:10:00 done"]],
    ["hours backwards", -6 * HOUR, ["04:08:00 skipped clock-set-back 0", "04:10:00 done", "10:05:00 done"]],
    ["years backwards", -900 * DAY, ["10:08:00 skipped clock-set-back 0", "10:10:00 done", "10:05:00 done"]],
  ])("neither floods nor starves when the clock is set %s", async (_, step, expected) => {
    const world = new World();
    const scheduler = world.scheduler();
    scheduler.add(action("scan"), { every: 5 * MINUTE });
    await scheduler.start();
    await world.clock.run(6 * MINUTE);
    world.clock.step(step);
    // At the latest after a minute it looks at the clock again.
    await world.clock.run(step === -4 * MINUTE ? 8 * MINUTE : 4 * MINUTE);
    expect(await world.outcomes()).toEqual(expected);
    await scheduler.stop();
  });

  it("lets an operator disable and enable an action, for good", async () => {
    const world = new World();
    const first = world.scheduler();
    first.add(action("scan"), { every: 5 * MINUTE });
    await first.start();
    await first.enable("scan", false);
    await world.clock.run(10 * MINUTE);
    await first.stop();
    const second = world.scheduler();
    second.add(action("scan"), { every: 5 * MINUTE });
    await second.start();
    await world.clock.run(5 * MINUTE);
    await second.enable("scan", true);
    await world.clock.run(5 * MINUTE);
    expect(await world.outcomes()).toEqual(["10:15:00 skipped disabled 3", "10:20:00 done"]);
    await second.stop();
  });

  it("runs an action by hand, also a disabled one, but not twice at once", async () => {
    const world = new World();
    const scheduler = world.scheduler();
    const slow = async () => {
      await new Promise<void>((done) => world.clock.after(SECOND, done));
      return { shouldNotify: true, message: "by hand" };
    };
    scheduler.add(action("scan", slow), { every: 5 * MINUTE }, { enabled: false });
    await scheduler.start();
    const [one, two] = [scheduler.run("scan"), scheduler.run("scan")];
    await world.clock.run(2 * SECOND);
    expect([(await one).outcome, (await two).reason]).toEqual(["done", "overlap"]);
    expect(world.said.map(({ text }) => text)).toEqual(["by hand"]);
    await scheduler.stop();
  });

  it("takes actions in and out while it runs; one that comes back waits for its last run to end", async () => {
    const world = new World();
    const scheduler = world.scheduler();
    await scheduler.start();
    scheduler.add(action("scan", untilAborted), { every: 5 * MINUTE });
    await world.clock.run(4 * MINUTE);
    expect(scheduler.remove("scan")).toBe(true);
    scheduler.add(action("scan"), { every: 5 * MINUTE });
    await world.clock.run(SECOND);
    expect(await world.outcomes()).toEqual(["10:05:00 failed stopped", "10:05:00 done"]);
    expect(scheduler.remove("nobody")).toBe(false);
    await scheduler.stop();
  });

  it("takes over from one that has stopped without asking the store, which may fail", async () => {
    const world = new World();
    const first = world.scheduler();
    first.add(action("scan"), { every: 5 * MINUTE });
    await first.start();
    await world.clock.run(5 * MINUTE);
    await first.enable("scan", false);
    await first.stop();
    const load = () => Promise.reject(new Error("the disk is gone"));
    const second = world.scheduler({ store: { ...world.store, load } });
    second.add(action("scan"), { every: 5 * MINUTE });
    await second.start(first);
    expect(second.list()).toMatchObject([{ enabled: false }]);
    await second.stop();
  });

  it("starts another schedule of an action from now on", async () => {
    const world = new World();
    const first = world.scheduler();
    first.add(action("scan"), { cron: "0 0 1 * *" });
    await first.start();
    await first.stop();
    world.clock.freeze(DAY);
    const second = world.scheduler();
    second.add(action("scan"), { every: 5 * MINUTE });
    await second.start();
    await world.clock.run(5 * MINUTE);
    expect(await world.outcomes()).toEqual(["10:05:00 done"]);
    await second.stop();
  });

  it("tells what is planned", async () => {
    const world = new World();
    const scheduler = world.scheduler();
    scheduler.add(action("scan"), { every: 5 * MINUTE });
    await scheduler.start();
    await world.clock.run(SECOND);
    expect(scheduler.upcoming("scan", 2).map(time)).toEqual(["10:05:00", "10:10:00"]);
    expect(
      scheduler.list().map(({ action: { name }, next, enabled }) => [name, time(next), enabled]),
    ).toEqual([["scan", "10:05:00", true]]);
    await scheduler.stop();
  });

  it("has one timer for all that wait", async () => {
    const world = new World();
    const timers = new Set<() => void>();
    const clock = Object.assign(Object.create(world.clock), {
      after(delay: number, call: () => void) {
        const fire = () => {
          timers.delete(fire);
          call();
        };
        timers.add(fire);
        const cancel = world.clock.after(delay, fire);
        return () => {
          timers.delete(fire);
          cancel();
        };
      },
    });
    const scheduler = world.scheduler({ clock });
    for (let n = 0; n < 1000; n++) scheduler.add(action(`a${n}`), { every: (n + 2) * HOUR });
    await scheduler.start();
    await world.clock.run(MINUTE);
    expect(timers.size).toBe(1);
    await scheduler.stop();
    expect(timers.size).toBe(0);
  });
});

describe("what cannot be scheduled", () => {
  it.each([
    [{ every: 0 }, {}, "bad-option", /intervalMs is 0; expected milliseconds/],
    [{ every: Number.NaN }, {}, "bad-option", /intervalMs is NaN/],
    [{ cron: "61 * * * *" }, {}, "bad-schedule", /schedule "61 \* \* \* \*": Invalid value for minute/],
    [{ cron: "0 0 30 2 *" }, {}, "bad-schedule", /it never comes due/],
    [
      { every: 1 },
      { timezone: "Mars/Phobos" },
      "bad-option",
      /timezone is "Mars\/Phobos"; expected the name/,
    ],
    [{ every: 1 }, { activeHours: "8-18" }, "bad-option", /activeHours is "8-18"; expected two times/],
    [{ every: 1 }, { jitter: -1 }, "bad-option", /jitter is -1/],
    [{ every: 1 }, { timeout: 2 ** 31 }, "bad-option", /timeout is 2147483648; expected milliseconds/],
    [{ every: 1 }, { maxPerHour: 0 }, "bad-option", /maxPerHour is 0/],
    [{ every: 1 }, { tellAfter: 0 }, "bad-option", /tellAfter is 0/],
    [
      { every: 1 },
      { missed: "never" as never },
      "bad-option",
      /missed is "never"; expected once, skip or all/,
    ],
  ])("%j with %j is refused as %s", (when, options, code, message) => {
    const add = () => new ActionScheduler().add(action("scan"), when, options);
    expect(add).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });

  it("is refused where it is no action, or there already is one of its name", () => {
    const scheduler = new ActionScheduler();
    scheduler.add(action("scan"), { every: 1 });
    expect(() => scheduler.add(action("scan"), { every: 1 })).toThrow(/already is an action scan/);
    expect(() => scheduler.add({} as HeartbeatAction, { every: 1 })).toThrow(/needs a name/);
  });
});
