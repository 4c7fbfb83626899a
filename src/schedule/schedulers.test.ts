import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../test/virtual-clock.ts";
import { HOUR, MINUTE } from "../core/duration.ts";
import { TaskScanAction } from "./actions/tasks.ts";
import { CronScheduler } from "./cron-scheduler.ts";
import { ActionScheduler } from "./engine/action-scheduler.ts";
import { HeartbeatScheduler } from "./heartbeat-scheduler.ts";

it("C6: a pace and a calendar share one scheduler, and stop with it", async () => {
  const clock = new VirtualClock(Date.parse("2026-03-10T08:01Z"));
  const engine = new ActionScheduler({ clock });
  const [heartbeat, cron] = [new HeartbeatScheduler(engine), new CronScheduler(engine)];
  const ran: string[] = [];
  const action = (name: string) => ({
    name,
    description: name,
    execute: async () => {
      ran.push(name);
      return { shouldNotify: false };
    },
  });
  heartbeat.registerAction(action("pace"), 20 * MINUTE);
  const nine = { minute: "30", hour: "9", dayOfMonth: "*", month: "*", dayOfWeek: "MON-FRI" };
  cron.schedule(action("calendar"), nine, { timezone: "Europe/Berlin" });
  cron.schedule(action("gone"), "@hourly");
  await cron.start();
  expect([cron.unschedule("gone"), cron.unschedule("gone")]).toEqual([true, false]);
  await clock.run(HOUR);
  await heartbeat.stop();
  await clock.run(HOUR);
  expect(ran).toEqual(["pace", "calendar", "pace", "pace"]);
});

it("C6: a calendar that makes no sense is refused with its reason", () => {
  const execute = async () => ({ shouldNotify: false });
  const schedule = () => new CronScheduler().schedule({ name: "x", description: "x", execute }, "* * *");
  expect(schedule).toThrow(/action x: schedule "\* \* \*": .*five, six/);
});

describe("C1: with what a program brings", () => {
  const START = Date.parse("2026-03-10T08:01Z");

  /** A gateway of the kind that programs have: its method needs `this`. */
  class Gateway {
    readonly heard: string[] = [];
    failures = 0;
    async send(text: string): Promise<void> {
      if (this.failures-- > 0) throw new Error("the line is busy");
      this.heard.push(text);
    }
    broadcast(text: string): void {
      this.heard.push(`to all: ${text}`);
    }
  }

  const lines: string[] = [];
  const logger = {
    info: (text: string) => void lines.push(text),
    warn: (text: string) => void lines.push(text),
    error: (text: string) => void lines.push(text),
  };
  const around = (gateway: Gateway, clock: VirtualClock) => ({
    gateway,
    runtime: { agent: "me" },
    session: { id: "s" },
    logger,
    clock,
  });
  const saying = (message: string) => ({
    name: "x",
    description: "x",
    execute: async () => ({ shouldNotify: true, message }),
  });

  it("a result with shouldNotify goes through gateway.send, and no other does (C2)", async () => {
    const [clock, gateway] = [new VirtualClock(START), new Gateway()];
    const options = around(gateway, clock);
    const scheduler = new HeartbeatScheduler(options);
    let runs = 0;
    scheduler.registerAction(
      {
        name: "x",
        description: "x",
        execute: async (context) => {
          const { session, runtime, logger } = context;
          expect([context.gateway, runtime, session, logger]).toEqual([
            ...[gateway, options.runtime, options.session, options.logger],
          ]);
          runs += 1;
          return { shouldNotify: runs === 2, message: `run ${runs}` };
        },
      },
      20 * MINUTE,
    );
    scheduler.registerAction(
      { name: "bad", description: "x", execute: () => Promise.reject(new Error("no")) },
      20 * MINUTE,
    );
    await scheduler.start();
    await clock.run(HOUR);
    await scheduler.stop();
    expect(runs).toBe(3);
    // The one that fails is isolated; after three failures people hear of it.
    expect(gateway.heard).toEqual(["run 2", "Action bad failed 3 times in a row: no"]);
    expect(lines).toContain("action bad: no (action bad)");
  });

  it("another method of the gateway is called if it is named", async () => {
    const [clock, gateway] = [new VirtualClock(START), new Gateway()];
    const scheduler = new CronScheduler({ ...around(gateway, clock), send: "broadcast" });
    scheduler.schedule(saying("hello"), "@hourly");
    await scheduler.start();
    await clock.run(HOUR);
    await scheduler.stop();
    expect(gateway.heard).toEqual(["to all: hello"]);
  });

  it("a gateway that cannot send is refused", () => {
    expect(() => new HeartbeatScheduler({ gateway: {} })).toThrow(/^the gateway has no method send; name/);
  });

  it("a message whose sending fails is sent again, and only then is the run over", async () => {
    const [clock, gateway] = [new VirtualClock(START), new Gateway()];
    gateway.failures = 2;
    const scheduler = new HeartbeatScheduler(around(gateway, clock));
    scheduler.registerAction(saying("hello"), HOUR);
    await scheduler.start();
    await clock.run(HOUR);
    await scheduler.stop();
    expect(gateway.heard).toEqual(["hello"]);
    expect(lines).toContain(
      "could not store, next try in 1 s: gateway.send failed: the line is busy (action x)",
    );
  });

  it("the actions of tasks run by default, and one of the program's own takes its name", async () => {
    const clock = new VirtualClock(START);
    const asked: string[] = [];
    const tasks = (who: string) => {
      const none = (what: string) => async () => {
        asked.push(`${who}: ${what}`);
        return [];
      };
      return {
        claimable: none("claimable"),
        mine: none("mine"),
        disputes: none("disputes"),
        completedSince: none("completed"),
      };
    };
    const gateway = new Gateway();
    const scheduler = new HeartbeatScheduler({
      ...around(gateway, clock),
      runtime: { tasks: tasks("runtime") },
    });
    scheduler.registerAction(new TaskScanAction({ source: tasks("own"), clock }), 30 * MINUTE);
    await scheduler.start();
    await clock.run(24 * HOUR);
    await scheduler.stop();
    expect(asked.filter((each) => each === "own: claimable")).toHaveLength(48);
    expect(asked.filter((each) => each === "runtime: mine")).toHaveLength(24);
    expect(asked.filter((each) => each === "runtime: completed")).toHaveLength(1);
    expect(asked).not.toContain("runtime: claimable");
    expect(gateway.heard).toEqual(["Daily summary: 0 tasks completed, 0 earned"]);
  });

  it("without a source of tasks they say nothing, and without builtIn they are not there", async () => {
    for (const builtIn of [true, false]) {
      const [clock, gateway] = [new VirtualClock(START), new Gateway()];
      const scheduler = new HeartbeatScheduler({ ...around(gateway, clock), builtIn });
      await scheduler.start();
      await clock.run(24 * HOUR);
      await scheduler.stop();
      expect(gateway.heard).toEqual([]);
      const action = { name: "task-scan", description: "x", execute: async () => ({ shouldNotify: false }) };
      const register = () => scheduler.registerAction(action, HOUR);
      if (builtIn) expect(register).toThrow(/already is an action task-scan/);
      else expect(register).not.toThrow();
    }
  });

  it.each([
    [0, "bad-option", "action x: intervalMs is 0; expected milliseconds, a whole number from 1"],
    [Number.NaN, "bad-option", "action x: intervalMs is NaN; expected milliseconds, a whole number from 1"],
  ])("an interval of %s is refused", (interval, code, message) => {
    const register = () => new HeartbeatScheduler().registerAction(saying("x"), interval);
    expect(register).toThrow(expect.objectContaining({ code, message }));
  });

  it("a second action of one name is refused, and the first one stays", async () => {
    const [clock, gateway] = [new VirtualClock(START), new Gateway()];
    const scheduler = new HeartbeatScheduler(around(gateway, clock));
    scheduler.registerAction(saying("the first"), HOUR);
    const again = () => scheduler.registerAction(saying("the second"), HOUR);
    const message = "there already is an action x; give this one another name, or remove the other first";
    expect(again).toThrow(expect.objectContaining({ code: "duplicate-action", message }));
    await scheduler.start();
    await clock.run(HOUR);
    await scheduler.stop();
    expect(gateway.heard).toEqual(["the first"]);
  });

  it("stop() during a run aborts it, and what it still returns within the grace is sent", async () => {
    const [clock, gateway] = [new VirtualClock(START), new Gateway()];
    const scheduler = new HeartbeatScheduler(around(gateway, clock));
    let began = () => {};
    const running = new Promise<void>((done) => {
      began = done;
    });
    scheduler.registerAction(
      {
        name: "long",
        description: "x",
        execute: ({ abort }) =>
          new Promise((done) => {
            abort.addEventListener("abort", () => done({ shouldNotify: true, message: "cut short" }));
            began();
          }),
      },
      MINUTE,
    );
    await scheduler.start();
    await clock.run(MINUTE);
    await running;
    await scheduler.stop();
    expect(gateway.heard).toEqual(["cut short"]);
  });
});
