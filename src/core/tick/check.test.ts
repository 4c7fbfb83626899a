import { describe, expect, it } from "vitest";
import { type FoundTick, failureOf, judgeTick, lostOf } from "./check.ts";

const at = (text: string): number => Date.parse(text);
const vitals = { gateway_running: true, home_directory_accessible: true, config_valid: true };
const tick = (more: object = {}): FoundTick => ({
  value: { status: "healthy", vitals, capabilities: { mail: true }, ...more },
});
const APRIL = { agent: "allegro", month: "2026-04" };
const FOURTH = "2026-04-04T18:00:00Z";

describe("D4: judging what stands where a tick should", () => {
  it.each<[string, FoundTick, string, string, string | undefined]>([
    ["healthy", tick(), FOURTH, "healthy", undefined],
    ["degraded", tick({ capabilities: { mail: false } }), FOURTH, "degraded", undefined],
    ["critical", tick({ vitals: { ...vitals, config_valid: false } }), FOURTH, "critical", "CRITICAL_STATUS"],
    ["offline", tick({ status: "offline" }), FOURTH, "offline", "OFFLINE"],
    ["not JSON", { unreadable: "it is not JSON" }, FOURTH, "invalid", "INVALID_TICK"],
    ["lacks a field", { value: { status: "healthy" } }, FOURTH, "invalid", "INVALID_TICK"],
    ["of another month", tick({ month: "2026-03" }), FOURTH, "invalid", "INVALID_TICK"],
    ["missing on the 4th", "absent", "2026-04-04T00:00:00Z", "missing", "MISSING_TICK"],
    ["missing in the last second of the window", "absent", "2026-04-03T23:59:59Z", "not-due", undefined],
    [
      "missing on the 4th on Kiritimati, the 3rd in UTC",
      "absent",
      "2026-04-04T13:59:59+14:00",
      "not-due",
      undefined,
    ],
    [
      "missing on the 3rd in Honolulu, the 4th in UTC",
      "absent",
      "2026-04-03T14:00:00-10:00",
      "missing",
      "MISSING_TICK",
    ],
    ["early is as good", tick(), "2026-04-01T00:00:00Z", "healthy", undefined],
    [
      "broken is broken at once",
      { unreadable: "it is not JSON" },
      "2026-04-01T00:00:00Z",
      "invalid",
      "INVALID_TICK",
    ],
  ])("%s", (_, found, now, result, failure) => {
    const judged = judgeTick(found, APRIL, at(now));
    expect(judged.result).toBe(result);
    expect(failureOf(judged)).toBe(failure);
  });

  it("names what is lost, vitals first", () => {
    expect(
      lostOf({ vitals: { ...vitals, config_valid: false }, capabilities: { mail: false, search: true } }),
    ).toEqual(["config_valid", "mail"]);
  });
});
