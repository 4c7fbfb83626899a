// The figures of an evaluation for people, as a table, and for programs, as JSON with the units in the names.
import type { Result, Score } from "./evaluate.ts";
import { HOUR, MINUTE, SECOND } from "./source.ts";

/** Days for which every agent is young. */
const WEEK = 7;

export function duration(ms: number): string {
  if (ms >= 2 * HOUR) return `${(ms / HOUR).toFixed(1)} h`;
  return ms >= 2 * MINUTE ? `${(ms / MINUTE).toFixed(0)} min` : `${(ms / SECOND).toFixed(0)} s`;
}

const whole = (count: number) => count.toLocaleString("en-US", { maximumFractionDigits: 0 });

function row(name: string, cells: readonly string[]): string {
  const [alarms = "", rate = "", ...times] = cells;
  return [
    name.padEnd(26),
    alarms.padStart(12),
    rate.padStart(16),
    ...times.map((time) => time.padStart(9)),
  ].join("");
}

function scoreRow(name: string, score: Score): string {
  const times = [score.mean, score.p50, score.p99].map(duration);
  return row(name, [whole(score.falseAlarms), score.perAgentMonth.toFixed(2), ...times]);
}

export function table(title: string, result: Result): string {
  const { agents, days, activities, deaths, auto, fixed, budget, firstWeek, margin } = result;
  return [
    title,
    `${agents} agents, ${days.toFixed(0)} days, ${whole(activities)} activities, ${whole(deaths)} deaths`,
    "",
    row("detector", ["false alarms", "per agent-month", "mean", "p50", "p99"]),
    scoreRow("auto", auto),
    scoreRow(`best fixed (${duration(fixed.threshold)})`, fixed),
    "",
    `In the mean, auto notices a death ${result.ratio.toFixed(2)} times as quickly.`,
    `One false alarm per agent-month would be ${whole(budget)}; ${whole(firstWeek)} fell in the first week.`,
    `The margin ended at ${margin.toFixed(2)}.`,
    ...(days < WEEK ? ["Less than a week: every agent was still young, and priors decided its limits."] : []),
    "",
  ].join("\n");
}

function scoreJson(score: Score) {
  return {
    falseAlarms: score.falseAlarms,
    falseAlarmsPerAgentMonth: score.perAgentMonth,
    meanSeconds: score.mean / SECOND,
    p50Seconds: score.p50 / SECOND,
    p99Seconds: score.p99 / SECOND,
  };
}

export function json(source: Record<string, unknown>, result: Result): string {
  const { auto, fixed, ...rest } = result;
  const figures = {
    ...source,
    ...rest,
    auto: scoreJson(auto),
    fixed: { thresholdSeconds: fixed.threshold / SECOND, ...scoreJson(fixed) },
  };
  return `${JSON.stringify(figures, null, 2)}\n`;
}
