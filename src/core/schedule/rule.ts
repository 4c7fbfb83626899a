import type { Rule } from "../agent.ts";
import { type Instant, type Millis, sayDuration } from "../duration.ts";
import { nextDue } from "./cron.ts";

/** When the next sign of life is expected after one at `stamp`; never, for a calendar without a next date. */
export function dueAfter(rule: Rule, stamp: Instant): Instant {
  if ("every" in rule) return stamp + rule.every;
  return nextDue(rule.schedule, rule.timezone, stamp) ?? Number.POSITIVE_INFINITY;
}

/** How much watched silence means death, for rules with a pace. Calendars have only their grace. */
export function fairChance(rule: Rule): Millis {
  return "every" in rule ? rule.every + rule.grace : rule.grace;
}

export function sameRule(a: Rule | undefined, b: Rule | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if ("every" in a) return "every" in b && a.every === b.every && a.grace === b.grace;
  return "schedule" in b && a.schedule === b.schedule && a.timezone === b.timezone && a.grace === b.grace;
}

/** `expected every 15 min, 5 min of grace`. */
export function sayRule(rule: Rule): string {
  const grace = `${sayDuration(rule.grace)} of grace`;
  if ("every" in rule) return `expected every ${sayDuration(rule.every)}, ${grace}`;
  return `expected by schedule "${rule.schedule}" (${rule.timezone}), ${grace}`;
}
