import { Cron } from "croner";
import { HOUR, type Instant } from "../duration.ts";
import { timeOfDay } from "./time-of-day.ts";

/** An answer of the library: for every question from `from` to before `next` it is the same. */
interface Answer {
  readonly from: Instant;
  readonly next: Instant | undefined;
}

/** The only file that knows the cron library. */
interface Calendar {
  readonly cron: Cron;
  /** Its times are written out, without a star for the minutes or the hours: each is meant once a day. */
  readonly fixed: boolean;
  /** The newest answers, written in a ring: those who share an expression ask about a few neighbouring dates. */
  readonly answers: Answer[];
  newest: number;
}

/** Parsed expressions are kept, because parsing costs more than asking, and asking more than remembering. */
const calendars = new Map<string, Calendar>();
const MOST_KEPT = 4096;
const ANSWERS_KEPT = 8;

function calendarOf(expression: string, timezone: string): Calendar {
  const key = `${timezone}\n${expression}`;
  let calendar = calendars.get(key);
  if (calendar === undefined) {
    calendar = {
      cron: new Cron(expression, { timezone }),
      fixed: isFixed(expression),
      answers: [],
      newest: -1,
    };
    if (calendars.size >= MOST_KEPT) calendars.clear();
    calendars.set(key, calendar);
  }
  return calendar;
}

/** Why an expression or a time zone cannot be used, or undefined if it can. */
export function cronProblem(expression: string, timezone: string): string | undefined {
  if (!isTimeZone(timezone))
    return `there is no time zone "${timezone}"; write one such as Europe/Berlin or UTC`;
  try {
    const first = nextDue(expression, timezone, 0);
    if (first === undefined) return "it never comes due";
    return nextDue(expression, timezone, first) === undefined ? "it comes due only once" : undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^CronPattern: /, "") : String(error);
  }
}

/** Names that were found to be zones: asking the runtime costs as much as a hundred other questions. */
const zones = new Set<string>();

function isTimeZone(name: string): boolean {
  if (zones.has(name)) return true;
  try {
    // An empty name would mean the zone of this machine.
    if (name === "" || new Intl.DateTimeFormat("en", { timeZone: name }).format(0) === "") return false;
  } catch {
    return false;
  }
  zones.add(name);
  return true;
}

/** The first instant after `after` at which the expression is due; undefined if there is none. */
export function nextDue(expression: string, timezone: string, after: Instant): Instant | undefined {
  const calendar = calendarOf(expression, timezone);
  for (const { from, next } of calendar.answers) {
    if (after >= from && after < (next ?? Number.POSITIVE_INFINITY)) return next;
  }
  let next = calendar.cron.nextRun(new Date(after))?.getTime();
  // The library leaves out the second of two equal times only for a single time a day.
  while (next !== undefined && calendar.fixed && isSecondTime(timezone, next))
    next = calendar.cron.nextRun(new Date(next))?.getTime();
  calendar.newest = (calendar.newest + 1) % ANSWERS_KEPT;
  calendar.answers[calendar.newest] = { from: after, next };
  return next;
}

function isFixed(expression: string): boolean {
  const { minute, hour } = parseCron(expression) ?? { minute: "*", hour: "*" };
  return !minute.startsWith("*") && !hour.startsWith("*");
}

/** Whether the clocks of a zone showed the same time shortly before: they are set back by an hour, or by half of one. */
function isSecondTime(timezone: string, at: Instant): boolean {
  const shown = timeOfDay(timezone, at);
  return shown === timeOfDay(timezone, at - HOUR) || shown === timeOfDay(timezone, at - HOUR / 2);
}

/** A cron expression by its fields, each as it is written: `*`, `5`, `MON-FRI`, and so on. */
export interface CronExpression {
  /** 0 unless given. */
  readonly second?: string;
  readonly minute: string;
  readonly hour: string;
  readonly dayOfMonth: string;
  readonly month: string;
  readonly dayOfWeek: string;
}

const NICKNAMES: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** The fields of an expression of five or six, or of a nickname. Whether they make sense, `cronProblem` says. */
export function parseCron(text: string): CronExpression | undefined {
  const trimmed = text.trim();
  const fields = (NICKNAMES[trimmed.toLowerCase()] ?? trimmed).split(/\s+/);
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] = fields.slice(-5);
  const five = { minute, hour, dayOfMonth, month, dayOfWeek };
  if (fields.length === 5) return five;
  return fields.length === 6 ? { second: fields[0] ?? "", ...five } : undefined;
}

export function formatCron(expression: CronExpression): string {
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = expression;
  const five = `${minute} ${hour} ${dayOfMonth} ${month} ${dayOfWeek}`;
  return second === undefined ? five : `${second} ${five}`;
}
