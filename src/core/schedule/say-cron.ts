import { type CronExpression, parseCron } from "./cron-expression.ts";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];
const ORDINALS = ["first", "second", "third", "fourth", "fifth"];

/** A calendar in words: `at 09:00 every day, Europe/Berlin`. What has no short words is told field by field. */
export function sayCron(text: string, timezone: string): string {
  const cron = parseCron(text);
  if (cron === undefined) return `by "${text}", ${timezone}`;
  const words = common(cron) ?? fieldByField(cron);
  return `${words}, ${timezone}`;
}

function common(cron: CronExpression): string | undefined {
  const time = sayTime(cron);
  const days = sayDays(cron);
  if (time === undefined || days === undefined) return undefined;
  // A pace is of every day unless something else is said.
  return time.startsWith("every") && days === "every day" ? time : `${time} ${days}`;
}

function sayTime({ second = "0", minute, hour }: CronExpression): string | undefined {
  if (second !== "0") {
    const pace = paceOf(second, "second");
    return pace !== undefined && minute === "*" && hour === "*" ? pace : undefined;
  }
  const pace = paceOf(minute, "minute");
  const hours = paceOf(hour, "hour");
  if (pace !== undefined) return hour === "*" ? pace : duringHours(pace, hour);
  const minutes = numbers(minute);
  if (minutes === undefined) return undefined;
  if (hours !== undefined) {
    if (minute === "0") return hours;
    return `${hours}, at ${list(minutes.map(String))} past`;
  }
  const atHours = numbers(hour);
  if (atHours === undefined) return minute === "0" ? duringHours("every hour", hour) : undefined;
  if (atHours.length * minutes.length > 6) return undefined;
  const times = atHours.flatMap((h) => minutes.map((m) => `${two(h)}:${two(m)}`));
  return `at ${list(times)}`;
}

/** `every minute from 09:00 to 17:59`. */
function duringHours(pace: string, hour: string): string | undefined {
  const range = /^(\d+)-(\d+)$/.exec(hour);
  if (range === null) return undefined;
  const end = pace === "every hour" ? `${two(Number(range[2]))}:00` : `${two(Number(range[2]))}:59`;
  return `${pace} from ${two(Number(range[1]))}:00 to ${end}`;
}

function paceOf(field: string, unit: string): string | undefined {
  if (field === "*") return `every ${unit}`;
  const step = /^\*\/(\d+)$/.exec(field)?.[1];
  const whole = unit === "hour" ? 24 : 60;
  // A step that does not divide the whole begins anew: that is no pace.
  if (step === undefined || whole % Number(step) !== 0) return undefined;
  return Number(step) === 1 ? `every ${unit}` : `every ${step} ${unit}s`;
}

function sayDays({ dayOfMonth, month, dayOfWeek }: CronExpression): string | undefined {
  const months = month === "*" ? undefined : names(month, MONTHS, 1);
  if (month !== "*" && months === undefined) return undefined;
  const ofMonth = months === undefined ? "" : ` in ${months}`;
  if (dayOfMonth === "*" && dayOfWeek === "*") return `every day${ofMonth}`;
  if (dayOfMonth === "*") {
    const days = sayWeekdays(dayOfWeek, months === undefined);
    return days === undefined ? undefined : `${days}${ofMonth}`;
  }
  // Both given means either of them, which needs more than a few words.
  if (dayOfWeek !== "*") return undefined;
  const days = sayMonthDays(dayOfMonth);
  return days === undefined ? undefined : `${days} of ${months ?? "every month"}`;
}

function sayMonthDays(field: string): string | undefined {
  if (field === "L") return "on the last day";
  if (field === "LW") return "on the last weekday";
  const near = /^(\d+)W$/i.exec(field)?.[1];
  if (near !== undefined) return `on the weekday nearest to day ${near}`;
  const range = /^(\d+)-(\d+)$/.exec(field);
  if (range !== null) return `on days ${range[1]} to ${range[2]}`;
  const days = numbers(field);
  if (days === undefined) return undefined;
  return `on ${days.length === 1 ? "day" : "days"} ${list(days.map(String))}`;
}

function sayWeekdays(field: string, everyMonth: boolean): string | undefined {
  const nth = /^([a-z]+|\d)#(\d|L)$/i.exec(field) ?? /^([a-z]+|\d)(L)$/i.exec(field);
  if (nth !== null) {
    const day = names(nth[1] ?? "", DAYS, 0);
    const which = /^l$/i.test(nth[2] ?? "") ? "last" : ORDINALS[Number(nth[2]) - 1];
    const suffix = everyMonth ? " of every month" : "";
    return day === undefined || which === undefined ? undefined : `on the ${which} ${day}${suffix}`;
  }
  const days = names(field, DAYS, 0);
  if (days === undefined) return undefined;
  return days.includes(" to ") ? `from ${days}` : `every ${days}`;
}

/** `MON-FRI` or `1,3` in whole words; the first name stands for `first`. */
function names(field: string, all: readonly string[], first: number): string | undefined {
  const parts = field.split(",").map((part) => {
    const ends = part.split("-").map((end) => {
      const named = all.find((name) => name.slice(0, 3).toLowerCase() === end.toLowerCase());
      if (named !== undefined) return named;
      // Sunday is 0 and 7.
      return /^\d+$/.test(end) ? all[first === 0 ? Number(end) % 7 : Number(end) - first] : undefined;
    });
    return ends.length > 2 || ends.includes(undefined) ? undefined : ends.join(" to ");
  });
  return parts.includes(undefined) ? undefined : list(parts as string[]);
}

function numbers(field: string): readonly number[] | undefined {
  return /^\d+(,\d+)*$/.test(field)
    ? field
        .split(",")
        .map(Number)
        .sort((a, b) => a - b)
    : undefined;
}

function list(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

function fieldByField(cron: CronExpression): string {
  const { second = "0", minute, hour, dayOfMonth, month, dayOfWeek } = cron;
  const restricted = [
    ["second", second === "0" ? "*" : second],
    ["minute", minute],
    ["hour", hour],
    ["month", month],
  ].filter(([, field]) => field !== "*");
  const days = [
    ["day of the month", dayOfMonth],
    ["day of the week", dayOfWeek],
  ].filter(([, field]) => field !== "*");
  const say = ([name, field]: string[]) => `${name} is ${field}`;
  const parts = restricted.map(say);
  // As in every cron: where both days are given, either suffices.
  if (days.length > 0) parts.push(days.map(say).join(" or "));
  return `when ${list(parts)}`;
}
