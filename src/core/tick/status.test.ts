import { describe, expect, it } from "vitest";
import { statusOf, TICK_STATUSES, worse } from "./status.ts";

const well = { gateway_running: true, home_directory_accessible: true, config_valid: true };

describe("the status of a tick", () => {
  it.each([
    ["all well", {}, { search: true }, "healthy"],
    ["no capability to lose", {}, {}, "healthy"],
    ["one capability lost", {}, { search: true, mail: false }, "degraded"],
    ["all capabilities lost", {}, { search: false, mail: false }, "degraded"],
    ["the gateway does not run", { gateway_running: false }, {}, "critical"],
    ["the home is not accessible", { home_directory_accessible: false }, { search: true }, "critical"],
    ["the config is not valid", { config_valid: false }, {}, "critical"],
    ["a vital and a capability: the vital decides", { config_valid: false }, { mail: false }, "critical"],
  ])("%s", (_, vitals, capabilities, status) => {
    expect(statusOf({ ...well, ...vitals }, capabilities)).toBe(status);
  });

  it("is the worse of two", () => {
    for (const [i, a] of TICK_STATUSES.entries()) {
      for (const [j, b] of TICK_STATUSES.entries()) expect(worse(a, b)).toBe(TICK_STATUSES[Math.max(i, j)]);
    }
  });
});
