import { describe, expect, it } from "vitest";
import { sayCron } from "./say-cron.ts";

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
    ["15 * * * *", "every hour, at 15 past"],
    ["0 */6 * * *", "every 6 hours"],
    ["15,45 */6 * * *", "every 6 hours, at 15 and 45 past"],
    ["0 9-17 * * 1-5", "every hour from 09:00 to 17:00 from Monday to Friday"],
    ["*/10 9-17 * * *", "every 10 minutes from 09:00 to 17:59"],
    ["@daily", "at 00:00 every day"],
    ["@weekly", "at 00:00 every Sunday"],
    ["@monthly", "at 00:00 on day 1 of every month"],
    ["@yearly", "at 00:00 on day 1 of January"],
    ["0 9 * * MON-FRI", "at 09:00 from Monday to Friday"],
    ["0 9 * * mon,thu", "at 09:00 every Monday and Thursday"],
    ["0 9 * * 7", "at 09:00 every Sunday"],
    ["0 9 * * MON#1", "at 09:00 on the first Monday of every month"],
    ["0 9 * * FRI#L", "at 09:00 on the last Friday of every month"],
    ["0 9 * 6 FRI#L", "at 09:00 on the last Friday in June"],
    ["0 0 L * *", "at 00:00 on the last day of every month"],
    ["0 9 15W * *", "at 09:00 on the weekday nearest to day 15 of every month"],
    ["0 9 1,15 * *", "at 09:00 on days 1 and 15 of every month"],
    ["0 9 * 6-8 *", "at 09:00 every day in June to August"],
    [
      "0 9 1 1 1",
      "when minute is 0, hour is 9, month is 1 and day of the month is 1 or day of the week is 1",
    ],
    ["*/7 * * * *", "when minute is */7"],
    ["0 0 1 1 * 2030 x", 'by "0 0 1 1 * 2030 x"'],
  ])("%j is %j", (expression, words) => {
    expect(sayCron(expression, "Europe/Berlin")).toBe(`${words}, Europe/Berlin`);
  });
});
