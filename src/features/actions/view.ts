import cronstrue from "cronstrue";
import { formatDuration, type Instant, iso, sayDuration } from "../../core/duration.ts";
import { type CronExpression, formatCron, parseCron } from "../../core/schedule/cron.ts";
import type { ScheduledAction } from "../../schedule/engine/action-scheduler.ts";
import { type ActionView, showRun } from "../../views/show.ts";

/** An action as readers see it: its calendar in words, when it runs next, and how it went last. */
export function viewAction({ action, plan, state, enabled, running, next }: ScheduledAction): ActionView {
  const { schedule } = plan;
  const byCron = "cron" in schedule;
  return {
    name: action.name,
    description: action.description,
    schedule: byCron ? schedule.cron : `every ${formatDuration(schedule.every)}`,
    timezone: byCron ? schedule.timezone : "UTC",
    words: byCron ? sayCron(schedule.cron, schedule.timezone) : `every ${sayDuration(schedule.every)}`,
    enabled,
    running,
    nextAt: enabled && Number.isFinite(next) ? iso(next as Instant) : null,
    failures: state.failures,
    lastRun: state.lastRun === undefined ? null : showRun({ action: action.name, ...state.lastRun }),
  };
}

/** A calendar in words: `at 09:00 every day, Europe/Berlin`. One without words is shown as it is written. */
export function sayCron(text: string, timezone: string): string {
  const cron = parseCron(text);
  const words = cron === undefined || isUneven(cron) ? undefined : inWords(cron);
  return `${words ?? `by "${text}"`}, ${timezone}`;
}

// Of a step of 7 the library says "every 7 minutes", but it begins anew with each hour: after minute 56 comes minute 0.
function isUneven({ second = "0", minute, hour, month }: CronExpression): boolean {
  const doesDivide = (whole: number, field: string) =>
    whole % Number(/^\*\/(\d+)$/.exec(field)?.[1] ?? 1) === 0;
  return !(doesDivide(60, second) && doesDivide(60, minute) && doesDivide(24, hour) && doesDivide(12, month));
}

function inWords(cron: CronExpression): string | undefined {
  try {
    // Our cron library writes the last Friday as FRI#L, this one as FRIL.
    const expression = formatCron(cron).replace(/#L/i, "L");
    const words = cronstrue.toString(expression, { use24HourTimeFormat: true });
    const isDaily = /^At [\d:, and]+$/.test(words);
    return `${words.charAt(0).toLowerCase()}${words.slice(1)}${isDaily ? " every day" : ""}`;
  } catch {
    return undefined;
  }
}
