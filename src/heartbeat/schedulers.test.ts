import { expect, it } from "vitest";
import { VirtualClock } from "../../test/virtual-clock.ts";
import { HOUR, MINUTE } from "../core/duration.ts";
import { ActionScheduler } from "./action-scheduler.ts";
import { CronScheduler } from "./cron-scheduler.ts";
import { HeartbeatScheduler } from "./heartbeat-scheduler.ts";

it("a pace and a calendar share one scheduler, and stop with it", async () => {
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

it("a calendar that makes no sense is refused with its reason", () => {
  const execute = async () => ({ shouldNotify: false });
  const schedule = () => new CronScheduler().schedule({ name: "x", description: "x", execute }, "* * *");
  expect(schedule).toThrow(/action x: schedule "\* \* \*": .*five, six/);
});
