import { expect, it } from "vitest";
import { type Reported, reportLines, summaryOf } from "./report.ts";
import type { Tick } from "./tick.ts";

const vitals = { gateway_running: true, home_directory_accessible: true, config_valid: true };
const tick = (more: Partial<Tick>): Tick => ({ status: "healthy", vitals, capabilities: {}, ...more });

const REPORTED: readonly Reported[] = [
  {
    result: { agent: "allegro", result: "missing" },
    filing: { outcome: "created", number: 12, url: "https://forge.example/org/fleet/issues/12" },
  },
  {
    result: {
      agent: "adagio",
      result: "critical",
      tick: tick({ vitals: { ...vitals, gateway_running: false }, capabilities: { mail: false } }),
    },
    filing: { outcome: "found", number: 7, url: "https://forge.example/org/fleet/issues/7" },
  },
  {
    result: { agent: "ezra", result: "offline", tick: { status: "offline", capabilities: {} } },
    filing: { outcome: "failed", problem: "forge.example: no answer within 10 s" },
  },
  {
    result: {
      agent: "largo",
      result: "degraded",
      tick: tick({ capabilities: { mail: false, search: true } }),
    },
  },
  { result: { agent: "timmy", result: "healthy", tick: tick({}) } },
  {
    result: { agent: "vivace", result: "invalid", problem: "status: expected …" },
    filing: { outcome: "would-file", title: "RCA-AGENT: vivace", labels: ["a", "b"], body: "# x\n\ny\n" },
  },
  { result: { agent: "presto", result: "not-due", until: "2026-04-04T00:00:00.000Z" } },
];

it("has a line for each agent, notes under it, and the summary", () => {
  expect(reportLines(REPORTED).join("\n")).toBe(`allegro: MISSING TICK
  issue #12 created: https://forge.example/org/fleet/issues/12
adagio: STATUS CRITICAL
  failed: gateway_running, mail
  issue #7 is already there: https://forge.example/org/fleet/issues/7
ezra: STATUS OFFLINE
  the issue could not be created and will be retried: forge.example: no answer within 10 s
largo: DEGRADED
  no root-cause issue is required (failed: mail)
timmy: HEALTHY
vivace: INVALID TICK
  status: expected …
  would file: RCA-AGENT: vivace
  labels: a, b
    # x

    y
presto: NOT YET DUE
  its window is open until 2026-04-04T00:00:00.000Z

=== Summary ===
Total agents: 7
Healthy: 1
Degraded: 1
Failed: 4
Issues created: 1`);
});

it("counts only what was created now", () => {
  expect(summaryOf(REPORTED)).toEqual({ total: 7, healthy: 1, degraded: 1, failed: 4, issuesCreated: 1 });
  expect(summaryOf([])).toEqual({ total: 0, healthy: 0, degraded: 0, failed: 0, issuesCreated: 0 });
});
