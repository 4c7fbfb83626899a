import { describe, expect, test } from "vitest";
import { cronSchedule } from "./cron-schedule.ts";

describe("a schedule that the system's cron reads as we do", () => {
  test.each([
    ["* * * * *", "* * * * *"],
    ["  */15\t*  * * *  ", "*/15 * * * *"],
    ["0 22-23,0-4 * * 1-5", "0 22-23,0-4 * * 1-5"],
    ["5,10,15-59/5 0 1,15 * *", "5,10,15-59/5 0 1,15 * *"],
    ["0 0 * JAN Sun", "0 0 * JAN Sun"],
    ["0 0 * jan-mar mon-fri", "0 0 * jan-mar mon-fri"],
    ["0 0 * * 7", "0 0 * * 7"],
    ["0 0 29 2 *", "0 0 29 2 *"],
    ["@hourly", "@hourly"],
    ["@reboot", "@reboot"],
  ])("%j is taken as %j", (text, schedule) => expect(cronSchedule(text)).toBe(schedule));
});

describe("what cron would refuse, or take for something else, is refused with a reason", () => {
  test.each([
    ["seconds", "0 */5 * * * *", "has no seconds"],
    ["too few fields", "* * * *", "expected five fields"],
    ["nothing", "", "expected five fields"],
    [
      "the last day",
      "0 0 L * *",
      'day of the month: expected *, numbers from 1 to 31, ranges and steps such as */5, not "L"',
    ],
    ["a workday", "0 0 15W * *", 'not "15W"'],
    ["the second Friday", "0 0 * * 5#2", 'not "5#2"'],
    ["any", "0 0 ? * *", 'not "?"'],
    ["a random minute", "0~59 * * * *", 'not "0~59"'],
    ["minute 60", "60 * * * *", "minute: expected"],
    ["hour 24", "0 24 * * *", "hour: expected"],
    ["day 0", "0 0 0 * *", "day of the month: expected"],
    ["month 13", "0 0 1 13 *", "month: expected *, numbers from 1 to 12 or names such as jan"],
    ["day 8 of the week", "0 0 * * 8", "day of the week: expected"],
    ["a name in the wrong field", "mon * * * *", "minute: expected"],
    ["a whole name", "0 0 * january *", 'not "january"'],
    ["a range that runs backwards", "0 22-4 * * *", '"22-4" runs backwards'],
    ["a step of a single number", "5/10 * * * *", "such as 5-59/10"],
    ["a step of zero", "*/0 * * * *", "a step of 0 is not possible"],
    ["a huge step", "*/99 * * * *", "a step of 99 is not possible"],
    ["an empty item", "1,,2 * * * *", 'not ""'],
    ["30 February", "0 0 30 2 *", "never comes due"],
    ["an unknown nickname", "@fortnightly", "cron knows only @reboot"],
    ["a nickname in capitals, which Debian's cron does not know", "@Daily", "cron knows only"],
    ["a newline", "* * * * *\n* * * * *", "expected"],
    ["a command behind it", "* * * * * rm", "expected five fields, not six"],
  ])("%s", (_, text, words) => {
    expect(() => cronSchedule(text)).toThrow(expect.objectContaining({ code: "bad-schedule" }));
    expect(() => cronSchedule(text)).toThrow(words);
  });
});
