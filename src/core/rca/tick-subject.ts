import { iso } from "../duration.ts";
import { failureOf, lostOf, type TickResult } from "../tick/check.ts";
import { daysOverdue, dueBy, type Month } from "../tick/period.ts";
import { VITALS } from "../tick/status.ts";
import type { EvidenceText, Fact, RcaSubject } from "./issue.ts";

/** What is known around a failed tick. */
export interface TickScene {
  readonly month: Month;
  readonly now: number;
  /** The name in the registry. */
  readonly name?: string;
  readonly home?: string;
  readonly config?: string;
  /** Where the tick stands, or should: relative to the ticks repository, so that it is the same for everybody. */
  readonly file: string;
  /** What stands there. */
  readonly text?: string;
  readonly lastTick?: { readonly file: string; readonly url?: string };
}

/** The root-cause issue for a failed tick, or undefined if it did not fail. */
export function tickSubject(result: TickResult, scene: TickScene): RcaSubject | undefined {
  const type = failureOf(result);
  if (type === undefined) return undefined;
  const { agent } = result;
  const { month, now, name, text } = scene;
  return {
    agent,
    ...(name === undefined ? {} : { name }),
    type,
    key: `${agent}:${month}:${type}`,
    title: `RCA-AGENT: ${agent} ${predicate(result)} (${month})`,
    detectedAt: now,
    expected: `A healthy tick for ${month} within the 72-hour window, by ${iso(dueBy(month))}.`,
    actual: actualOf(result, scene),
    evidence:
      text === undefined ? [] : ([{ title: "The tick as it was submitted", text }] satisfies EvidenceText[]),
    resources: resourcesOf(scene),
  };
}

function predicate({ result }: TickResult): string {
  if (result === "missing") return "failed to submit monthly tick";
  if (result === "invalid") return "submitted an invalid monthly tick";
  return `reported ${result} status`;
}

function actualOf(result: TickResult, { month, now }: TickScene): Fact[] {
  if (result.result === "missing") {
    return [
      { label: "Tick", value: "not submitted" },
      { label: "Expected by", value: iso(dueBy(month)) },
      { label: "Today", value: iso(now) },
      { label: "Days overdue", value: String(daysOverdue(month, now)) },
    ];
  }
  if (result.result === "invalid") return [{ label: "Tick", value: `not valid: ${result.problem}` }];
  if (!("tick" in result)) return [];
  const { vitals, capabilities } = result.tick;
  const lost = lostOf({ capabilities });
  return [
    ...(result.result === "offline" ? [{ label: "Agent", value: "not reachable in the window" }] : []),
    ...(vitals === undefined
      ? []
      : VITALS.map((name) => ({ label: name, value: vitals[name] ? "ok" : "FAILED" }))),
    { label: "Capabilities lost", value: lost.length === 0 ? "none reported" : lost.join(", ") },
  ];
}

function resourcesOf({ home, config, file, lastTick }: TickScene): Fact[] {
  return [
    { label: "Agent home", value: home ?? "not in the registry" },
    { label: "Config", value: config ?? "not in the registry" },
    {
      label: "Last tick",
      value: lastTick?.file ?? "none",
      ...(lastTick?.url === undefined ? {} : { url: lastTick.url }),
    },
    { label: "Tick file", value: file },
  ];
}
