import { expect, it } from "vitest";
import { onThisClock } from "./dates.ts";

const now = new Date(2026, 2, 2, 18).getTime();
const instant = (date: Date) => `${date.toISOString().slice(0, -5)}Z`;

it("shows the instants of a kept sentence on the clock at hand, with the day unless it is today", () => {
  const [today, before] = [new Date(2026, 2, 2, 8, 5), new Date(2026, 2, 1, 23, 59, 7)].map(instant);
  expect(onThisClock(`no beat since ${today}; last seen at ${before}`, now)).toBe(
    "no beat since 08:05:00; last seen at 2026-03-01 23:59:07",
  );
  expect(onThisClock("waits for a human: permission", now)).toBe("waits for a human: permission");
});
