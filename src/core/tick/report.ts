import { failureOf, lostOf, type TickResult } from "./check.ts";

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

export interface Summary {
  readonly total: number;
  readonly healthy: number;
  readonly degraded: number;
  readonly failed: number;
  readonly issuesCreated: number;
}

export function summaryOf(reported: readonly Reported[]): Summary {
  const count = (is: (each: Reported) => boolean): number => reported.filter(is).length;
  return {
    total: reported.length,
    healthy: count(({ result }) => result.result === "healthy"),
    degraded: count(({ result }) => result.result === "degraded"),
    failed: count(({ result }) => failureOf(result) !== undefined),
    issuesCreated: count(({ filing }) => filing?.outcome === "created"),
  };
}

/** The report as people read it: a line for each agent with its notes, and the summary. */
export function reportLines(reported: readonly Reported[]): string[] {
  const { total, healthy, degraded, failed, issuesCreated } = summaryOf(reported);
  return [
    ...reported.flatMap(linesOf),
    "",
    "=== Summary ===",
    `Total agents: ${total}`,
    `Healthy: ${healthy}`,
    `Degraded: ${degraded}`,
    `Failed: ${failed}`,
    `Issues created: ${issuesCreated}`,
  ];
}

function linesOf({ result, filing }: Reported): string[] {
  return [
    `${result.agent}: ${wordOf(result)}`,
    ...notesOf(result),
    ...(filing === undefined ? [] : filingLines(filing)),
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
  const said = lost.length === 0 ? "" : `failed: ${lost.join(", ")}`;
  if (result.result === "degraded")
    return [`  no root-cause issue is required${said === "" ? "" : ` (${said})`}`];
  return said === "" ? [] : [`  ${said}`];
}

function filingLines(filing: Filing): string[] {
  switch (filing.outcome) {
    case "created":
      return [`  issue #${filing.number} created: ${filing.url}`];
    case "found":
      return [`  issue #${filing.number} is already there: ${filing.url}`];
    case "failed":
      return [`  the issue could not be created and will be retried: ${filing.problem}`];
    case "would-file": {
      const body = filing.body.trimEnd().split("\n");
      return [
        `  would file: ${filing.title}`,
        `  labels: ${filing.labels.join(", ")}`,
        ...body.map((line) => (line === "" ? "" : `    ${line}`)),
      ];
    }
  }
}
