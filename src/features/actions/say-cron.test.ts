import { describe, expect, it } from "vitest";
import { sayCron } from "./view.ts";

describe("a calendar in words", () => {
  it.each([
    ["0 9 * * *", "at 09:00 every day"],
    ["0 0 9 * * *", "at 09:00 every day"],
    ["30 9,17 * * *", "at 09:30 and 17:30 every day"],
    ["*/5 * * * *", "every 5 minutes"],
    ["* * * * *", "every minute"],
    ["*/1 * * * *", "every minute"],
    ["*/15 * * * * *", "every 15 seconds"],
    ["0 * * * *", "every hour"],
    ["@hourly", "every hour"],
    ["15 * * * *", "at 15 minutes past the hour"],
    ["0 */6 * * *", "on the hour, every 6 hours"],
    ["15,45 */6 * * *", "at 15 and 45 minutes past the hour, every 6 hours"],
    ["0 9-17 * * 1-5", "every hour, between 09:00 and 17:00, Monday through Friday"],
    ["*/10 9-17 * * *", "every 10 minutes, between 09:00 and 17:59"],
    ["0,30 9-17/2 * * *", "at 0 and 30 minutes past the hour, every 2 hours, between 09:00 and 17:59"],
    ["@daily", "at 00:00 every day"],
    ["@weekly", "at 00:00, only on Sunday"],
    ["@monthly", "at 00:00, on day 1 of the month"],
    ["@yearly", "at 00:00, on day 1 of the month, only in January"],
    ["0 9 * * MON-FRI", "at 09:00, Monday through Friday"],
    ["0 9 * * mon,thu", "at 09:00, only on Monday and Thursday"],
    ["0 9 * * 7", "at 09:00, only on Sunday"],
    ["0 9 * * MON#1", "at 09:00, on the first Monday of the month"],
    ["0 9 * * FRI#L", "at 09:00, on the last Friday of the month"],
    ["0 9 * 6 FRI#L", "at 09:00, on the last Friday of the month, only in June"],
    ["0 0 L * *", "at 00:00, on the last day of the month"],
    ["0 9 15W * *", "at 09:00, on the weekday nearest day 15 of the month"],
    ["0 9 1,15 * *", "at 09:00, on day 1 and 15 of the month"],
    ["0 9 * 6-8 *", "at 09:00, June through August"],
    ["0 9 1 1 1", "at 09:00, on day 1 of the month, and on Monday, only in January"],
    ["*/7 * * * *", 'by "*/7 * * * *"'],
    ["0 */5 * * *", 'by "0 */5 * * *"'],
    ["0 9 1 */5 *", 'by "0 9 1 */5 *"'],
    ["0 9 * * +MON", 'by "0 9 * * +MON"'],
    ["0 0 1 1 * 2030 x", 'by "0 0 1 1 * 2030 x"'],
  ])("%j is %j", (expression, words) => {
    expect(sayCron(expression, "Europe/Berlin")).toBe(`${words}, Europe/Berlin`);
  });
});
