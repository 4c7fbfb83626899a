import { expect, it } from "vitest";
import { HOUR, MINUTE } from "../../core/duration.ts";
import type { Trouble } from "../../ports/forge.ts";
import { Attempts } from "./attempts.ts";

const RETRY: Trouble = { outcome: "retry", problem: "no answer" };
const REFUSED: Trouble = { outcome: "refused", problem: "gone" };

/** Runs every minute; gives the minutes in which something was tried. */
async function minutes(
  attempts: Attempts,
  keys: readonly string[],
  trouble: (key: string) => Trouble | undefined,
) {
  const tried: string[] = [];
  for (let minute = 0; minute < 70; minute += 1) {
    attempts.begin(minute * MINUTE);
    for (const key of keys) {
      await attempts.try(key, minute * MINUTE, async () => {
        tried.push(`${key}${minute}`);
        return trouble(key);
      });
    }
  }
  return tried;
}

it("tries what fails less and less often, and says so all the time", async () => {
  const attempts = new Attempts();
  expect(await minutes(attempts, ["a"], () => REFUSED)).toEqual([
    "a0",
    "a1",
    "a3",
    "a7",
    "a15",
    "a31",
    "a61",
  ]);
  expect(attempts.problems).toEqual(["gone"]);
  attempts.forget((key) => key === "a");
  expect(attempts.problems).toEqual([]);
});

it("does everything else meanwhile", async () => {
  const tried = await minutes(new Attempts(), ["a", "b"], (key) => (key === "a" ? REFUSED : undefined));
  expect(tried.filter((each) => each.startsWith("b"))).toHaveLength(70);
});

it("leaves a forge alone that fails three times in a row, until the next minute", async () => {
  const attempts = new Attempts();
  const tried = await minutes(attempts, ["a", "b", "c", "d", "e"], () => RETRY);
  expect(tried.slice(0, 8)).toEqual(["a0", "b0", "c0", "a1", "b1", "c1", "d2", "e2"]);
});

it("leaves a forge alone for as long as it asks, but not for ever, nor if the clock is set back", async () => {
  for (const [after, wait] of [
    [10 * MINUTE, 10 * MINUTE],
    [24 * HOUR, HOUR],
  ] as const) {
    const attempts = new Attempts();
    const try_ = (key: string, at: number) => {
      attempts.begin(at);
      return attempts.try(key, at, async () => (key === "a" ? { ...RETRY, after } : undefined));
    };
    expect(await try_("a", HOUR)).toBe(false);
    expect(await try_("b", HOUR + wait - 1)).toBe(false);
    expect(attempts.problems).toEqual(["no answer"]);
    expect(await try_("b", HOUR + wait)).toBe(true);
    expect(await try_("a", 2 * HOUR + wait)).toBe(false);
    expect(await try_("b", 0)).toBe(true);
  }
});

it("tries again what failed in a time that has not come yet, because the clock was set back a little", async () => {
  const attempts = new Attempts();
  expect(await attempts.try("a", HOUR, async () => REFUSED)).toBe(false);
  expect(await attempts.try("a", HOUR + 1, async () => undefined)).toBe(false);
  expect(await attempts.try("a", HOUR - MINUTE, async () => undefined)).toBe(true);
});
