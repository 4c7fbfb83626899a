import { type Instant, iso } from "../duration.ts";
import { failureOf, lostOf, type TickResult } from "./check.ts";
import type { Month } from "./period.ts";

/** What became of the issue for a failure. */
export type Filing =
  | { readonly outcome: "created" | "found"; readonly number: number; readonly url: string }
  | { readonly outcome: "failed"; readonly problem: string }
  | {
      readonly outcome: "would-file";
      readonly title: string;
      readonly labels: readonly string[];
      readonly body: string;
    };

/** One agent's part of the report. */
export interface Reported {
  readonly result: TickResult;
  readonly filing?: Filing;
}

export interface CheckSummary {
  readonly total: number;
  readonly healthy: number;
  readonly degraded: number;
  readonly failed: number;
  readonly issuesCreated: number;
}

export function summaryOf(reported: readonly Reported[]): CheckSummary {
  const count = (is: (each: Reported) => boolean): number => reported.filter(is).length;
  return {
    total: reported.length,
    healthy: count(({ result }) => result.result === "healthy"),
    degraded: count(({ result }) => result.result === "degraded"),
    failed: count(({ result }) => failureOf(result) !== undefined),
    issuesCreated: count(({ filing }) => filing?.outcome === "created"),
  };
}

/** Which month was checked, and when. */
export interface CheckRun {
  readonly month: Month;
  readonly now: Instant;
}

/**
 * The report as people read it: a head, a line for each agent with its notes, and the summary. Scripts read these lines
 * too, so their wording is fixed.
 */
export function reportLines({ month, now }: CheckRun, reported: readonly Reported[]): string[] {
  const { total, healthy, degraded, failed, issuesCreated } = summaryOf(reported);
  return [
    "=== Agent Tick Monitor ===",
    `Checking month: ${month}`,
    `Time: ${iso(now)}`,
    "",
    ...reported.flatMap(linesOf),
    "",
    "=== Summary ===",
    `Total agents: ${total}`,
    `  Healthy: ${healthy}`,
    `  Degraded: ${degraded}`,
    `  Failed: ${failed}`,
    `  Issues created: ${issuesCreated}`,
  ];
}

function linesOf({ result, filing }: Reported): string[] {
  return [
    `${result.agent}: ${wordOf(result)}`,
    ...(filing === undefined ? [] : filingLines(filing)),
    ...(result.result === "degraded" ? ["  (No RCA required, but monitor)"] : []),
    ...notesOf(result),
  ];
}

function wordOf({ result }: TickResult): string {
  if (result === "missing") return "MISSING TICK";
  if (result === "invalid") return "INVALID TICK";
  if (result === "critical" || result === "offline") return `STATUS ${result.toUpperCase()}`;
  return result === "not-due" ? "NOT YET DUE" : result.toUpperCase();
}

function notesOf(result: TickResult): string[] {
  if (result.result === "invalid") return [`  ${result.problem}`];
  if (result.result === "not-due") return [`  its window is open until ${result.until}`];
  if (!("tick" in result) || result.result === "healthy") return [];
  const lost = lostOf(result.tick);
  return lost.length === 0 ? [] : [`  Not working: ${lost.join(", ")}`];
}

/** What became of an issue, in lines under what it is about. */
export function filingLines(filing: Filing): string[] {
  switch (filing.outcome) {
    case "created":
      return [`  → Issue #${filing.number} created: ${filing.url}`];
    case "found":
      return [`  → Issue #${filing.number} is already there: ${filing.url}`];
    case "failed":
      return ["  ✗ Failed to create issue", `    It will be retried: ${filing.problem}`];
    case "would-file": {
      const body = filing.body.trimEnd().split("\n");
      return [
        `  Would file: ${filing.title}`,
        `  Labels: ${filing.labels.join(", ")}`,
        ...body.map((line) => (line === "" ? "" : `    ${line}`)),
      ];
    }
  }
}
