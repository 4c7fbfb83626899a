// Runs the detector over a source, day by day as the watcher would, and compares it with the best fixed limit.
import { limit } from "../../src/core/rhythm/limit.ts";
import { adjust, BUDGET, MARGIN } from "../../src/core/rhythm/margin.ts";
import { activity, type Rhythm } from "../../src/core/rhythm/rhythm.ts";
import { random } from "./random.ts";
import { MINUTE, type Source } from "./source.ts";

/** How long a death goes unnoticed, in milliseconds, and how many false alarms that costs. */
export type Score = { falseAlarms: number; perAgentMonth: number; mean: number; p50: number; p99: number };

export type Result = {
  agents: number;
  days: number;
  activities: number;
  deaths: number;
  /** False alarms that the budget allows in all. */
  budget: number;
  margin: number;
  firstWeek: number;
  auto: Score;
  fixed: Score & { threshold: number };
  /** How many times quicker `auto` is in the mean. */
  ratio: number;
};

type EvaluateOptions = {
  readonly seed: number;
  /** One activity in so many is followed, in thought, by a death. */
  readonly deathEvery: number;
  readonly progress?: (day: number) => void;
};

/** Shorter gaps are not kept for the search of the fixed time-out: it would never be so short. */
const SHORT = MINUTE;

function score(times: Float64Array, falseAlarms: number, agentDays: number): Score {
  const sorted = times.toSorted();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  const mean = sorted.reduce((sum, time) => sum + time, 0) / Math.max(1, sorted.length);
  return { falseAlarms, perAgentMonth: (30 * falseAlarms) / agentDays, mean, p50: at(0.5), p99: at(0.99) };
}

/**
 * The best fixed limit with no more than so many false alarms is the gap that has just so many longer ones. It
 * is given the announced waits and the ends of turns too, so that what is compared is the learning alone.
 */
function bestFixed(gaps: readonly number[], falseAlarms: number): number {
  return (
    Float64Array.from(gaps)
      .toSorted()
      .at(-1 - falseAlarms) ?? SHORT
  );
}

export function evaluate(source: Source, options: EvaluateOptions): Result {
  const chance = random(options.seed, -2);
  const rhythms: (Rhythm | null)[] = Array.from({ length: source.agents }, () => null);
  const longGaps: number[] = [];
  const detected: number[] = [];
  const announced: number[] = [];
  let margin: number = MARGIN.start;
  let activities = 0;
  let falseAlarms = 0;
  let firstWeek = 0;
  for (let day = 0; day < source.days; day += 1) {
    let today = 0;
    source.day(day, (agent, fact) => {
      activities += 1;
      const before = rhythms[agent] ?? null;
      const silence =
        before === null || before.context === "idle" ? 0 : fact.at - before.last - before.announced;
      if (before !== null && silence > SHORT) {
        longGaps.push(silence);
        const allowed = limit(before, { now: fact.at, margin });
        if (allowed !== null && fact.at - before.last > allowed.ms) today += 1;
      }
      const after = activity(before, fact);
      rhythms[agent] = after;
      if (options.deathEvery > 1 && chance.uniform() * options.deathEvery >= 1) return;
      const fires = limit(after, { now: fact.at, margin });
      if (fires === null) return;
      detected.push(fires.ms);
      announced.push(fires.announced);
    });
    margin = adjust(margin, today, source.agents, Math.min(1, source.days - day));
    falseAlarms += today;
    if (day < 7) firstWeek += today;
    options.progress?.(day + 1);
  }
  if (detected.length === 0) throw new Error("there is nothing to judge: no agent was ever busy");
  const agentDays = source.agents * source.days;
  const threshold = bestFixed(longGaps, falseAlarms);
  const auto = score(Float64Array.from(detected), falseAlarms, agentDays);
  const fixedTimes = Float64Array.from(announced, (wait) => wait + threshold);
  const fixed = {
    ...score(fixedTimes, longGaps.filter((gap) => gap > threshold).length, agentDays),
    threshold,
  };
  return {
    agents: source.agents,
    days: source.days,
    activities,
    deaths: detected.length,
    budget: BUDGET * agentDays,
    margin,
    firstWeek,
    auto,
    fixed,
    ratio: fixed.mean / auto.mean,
  };
}
