import { nextDue } from "../../core/schedule/cron.ts";
import { InstallError } from "../../home/install-error.ts";

interface Field {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  /** Names of values, the first one for `low`. */
  readonly names?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: "minute", low: 0, high: 59 },
  { name: "hour", low: 0, high: 23 },
  { name: "day of the month", low: 1, high: 31 },
  { name: "month", low: 1, high: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  { name: "day of the week", low: 0, high: 7, names: "sun mon tue wed thu fri sat".split(" ") },
];

const NICKNAMES = "@reboot @yearly @annually @monthly @weekly @daily @midnight @hourly".split(" ");

/**
 * A schedule as the system's cron reads it, with single spaces. Our own schedules know more (seconds, L, W, #); cron
 * would take some of that for something else without a word, so it is refused here.
 */
export function cronSchedule(text: string): string {
  const schedule = text.trim().replaceAll(/[ \t]+/g, " ");
  const problem = scheduleProblem(schedule);
  if (problem === undefined) return schedule;
  throw new InstallError("bad-schedule", `schedule ${JSON.stringify(text)}: ${problem}`);
}

function scheduleProblem(schedule: string): string | undefined {
  if (schedule.startsWith("@")) {
    return NICKNAMES.includes(schedule) ? undefined : `cron knows only ${NICKNAMES.join(", ")}`;
  }
  const fields = schedule.split(" ");
  if (fields.length === 6) return "expected five fields, not six: the system's cron has no seconds";
  if (fields.length !== 5)
    return 'expected five fields, such as "*/15 * * * *", or a nickname such as @hourly';
  for (const [index, field] of FIELDS.entries()) {
    const items = (fields[index] ?? "").split(",");
    const problem = items.map((item) => itemProblem(item, field)).find((each) => each !== undefined);
    if (problem !== undefined) return `${field.name}: ${problem}`;
  }
  return isEverDue(schedule) ? undefined : "it never comes due";
}

const ITEM = /^(?:(\*)|([a-z]+|\d+)(?:-([a-z]+|\d+))?)(?:\/(\d+))?$/i;

function itemProblem(item: string, field: Field): string | undefined {
  const { low, high, names } = field;
  const expected = `expected *, numbers from ${low} to ${high}${
    names === undefined ? "" : ` or names such as ${names[0]}`
  }, ranges and steps such as */5`;
  const parts = ITEM.exec(item);
  if (parts === null) return `${expected}, not ${JSON.stringify(item)}`;
  const [, all, first = "", last, step] = parts;
  if (step !== undefined && (Number(step) < 1 || Number(step) > high))
    return `a step of ${step} is not possible`;
  if (all !== undefined) return undefined;
  const from = numberOf(first, field);
  const to = last === undefined ? from : numberOf(last, field);
  if (from === undefined || to === undefined) return `${expected}, not ${JSON.stringify(item)}`;
  if (from > to) return `${JSON.stringify(item)} runs backwards`;
  // Cron ignores what follows a single number, and would run once instead of every so often.
  if (step !== undefined && last === undefined)
    return `a step needs a range, such as ${first}-${high}/${step}`;
  return undefined;
}

function numberOf(text: string, { low, high, names = [] }: Field): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  const value = named === -1 ? Number(text) : low + named;
  return value >= low && value <= high ? value : undefined;
}

/** 30 February is well-formed. What our own calendar cannot read is left to cron. */
function isEverDue(schedule: string): boolean {
  try {
    return nextDue(schedule, "UTC", 0) !== undefined;
  } catch {
    return true;
  }
}
