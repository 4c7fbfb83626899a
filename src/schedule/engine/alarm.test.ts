import { expect, it } from "vitest";
import { VirtualClock } from "../../../test/virtual-clock.ts";
import { HOUR, MINUTE, SECOND } from "../../core/duration.ts";
import { Alarm } from "./alarm.ts";

const T = Date.parse("2026-03-10T08:00Z");

/** An alarm that is on, and when it rang. */
function ringing(next = Number.POSITIVE_INFINITY) {
  const clock = new VirtualClock(T);
  const rang: [number, boolean][] = [];
  const alarm = new Alarm(clock, (now, setBack) => {
    rang.push([now - T, setBack]);
    return next;
  });
  alarm.start();
  return { clock, alarm, rang };
}

it("rings at the earliest moment that was asked for, and not without one", async () => {
  const { clock, alarm, rang } = ringing();
  await clock.run(HOUR);
  expect(rang).toEqual([]);
  alarm.by(T + HOUR + 90 * SECOND);
  alarm.by(T + HOUR + 5 * SECOND);
  await clock.run(2 * MINUTE);
  expect(rang).toEqual([[HOUR + 5 * SECOND, false]]);
});

it("rings when the clock was set back, which it notices within a minute", async () => {
  const { clock, alarm, rang } = ringing();
  clock.step(-2 * HOUR);
  await clock.run(MINUTE);
  expect(rang).toEqual([[-2 * HOUR + MINUTE, true]]);
  expect(alarm.setBacks).toBe(1);
});

it("rings late rather than never when the clock was set on, and not at all once it is stopped", async () => {
  const { clock, alarm, rang } = ringing();
  alarm.by(T + HOUR);
  clock.step(3 * HOUR);
  await clock.run(MINUTE);
  expect(rang).toEqual([[3 * HOUR + MINUTE, false]]);
  alarm.by(T + 4 * HOUR);
  alarm.stop();
  await clock.run(2 * HOUR);
  expect(rang).toHaveLength(1);
});
