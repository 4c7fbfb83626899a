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

const RUN = { month: "2026-04", now: Date.parse("2026-04-04T06:00:00Z") };

it("D4: the report has a head, a line for each agent, notes under it, and the summary", () => {
  expect(reportLines(RUN, REPORTED).join("\n")).toBe(`=== Agent Tick Monitor ===
Checking month: 2026-04
Time: 2026-04-04T06:00:00.000Z

allegro: MISSING TICK
  → Issue #12 created: https://forge.example/org/fleet/issues/12
adagio: STATUS CRITICAL
  → Issue #7 is already there: https://forge.example/org/fleet/issues/7
  Not working: gateway_running, mail
ezra: STATUS OFFLINE
  ✗ Failed to create issue
    It will be retried: forge.example: no answer within 10 s
largo: DEGRADED
  (No RCA required, but monitor)
  Not working: mail
timmy: HEALTHY
vivace: INVALID TICK
  Would file: RCA-AGENT: vivace
  Labels: a, b
    # x

    y
  status: expected …
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
