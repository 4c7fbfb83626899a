import { describe, expect, it } from "vitest";
import { formatCron, parseCron } from "./cron.ts";

describe("a cron expression", () => {
  it("has five named fields, and seconds where six are written", () => {
    const five = { minute: "30", hour: "2", dayOfMonth: "L", month: "*", dayOfWeek: "MON#1" };
    expect(parseCron("30 2 L * MON#1")).toEqual(five);
    expect(parseCron("15 30 2 L * MON#1")).toEqual({ second: "15", ...five });
  });

  it.each(["30 2 * * *", "*/10 30 2 * * MON-FRI"])("%j is written as it was read", (text) => {
    expect(formatCron(parseCron(`  ${text.replace(" ", "\t ")} `) as never)).toBe(text);
  });

  it.each([
    ["@daily", "0 0 * * *"],
    ["@Hourly", "0 * * * *"],
    ["@annually", "0 0 1 1 *"],
  ])("%s stands for %s", (nickname, text) => {
    expect(formatCron(parseCron(nickname) as never)).toBe(text);
  });

  it.each(["", "* * *", "* * * * * * *", "@reboot"])("%j is none", (text) => {
    expect(parseCron(text)).toBeUndefined();
  });
});
