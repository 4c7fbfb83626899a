import { DAY, HOUR, type Instant, type Millis } from "../duration.ts";
import { dueAt, type Task, type TaskStatus } from "./task.ts";

export interface Alert {
  readonly task: string;
  readonly kind: "deadline" | "dispute";
  readonly message: string;
}

/** The alerts of a task that stand and were told. It is plain data, to be stored as JSON. */
export interface ToldAlert {
  /** The fewest hours left that were told; 0: that the deadline passed. */
  readonly hours?: number;
  readonly disputed?: true;
}

export type ToldAlerts = Readonly<Record<string, ToldAlert>>;

/** What alerts need to know of a task. */
type Held = Pick<Task, "id" | "status" | "deadline">;

export interface Portfolio {
  /** The tasks that we work on. */
  readonly mine: readonly Held[];
  readonly disputes: readonly Pick<Task, "id">[];
}

const DEADLINE_THRESHOLD: Millis = 2 * HOUR;

/** Before these ends a deadline matters. `expired` is among them because it is how a deadline that passed may show. */
const WITH_DEADLINE: readonly TaskStatus[] = ["open", "claimed", "expired"];
/** What expired longer ago is history: a first look at an old list does not tell of it. */
const RECENTLY = 7 * DAY;

/**
 * What to tell of our tasks. An alert is told once, and again only when it gets worse. What is remembered are the
 * alerts that stand: one that ended (the deadline moved out, the dispute was settled) is told anew if it comes back,
 * and the memory is never larger than the lists.
 */
export function alerts(
  memory: unknown,
  { mine, disputes }: Portfolio,
  now: Instant,
  threshold: Millis = DEADLINE_THRESHOLD,
): { readonly alerts: readonly Alert[]; readonly memory: ToldAlerts } {
  const told = readTold(memory);
  const standing = new Map<string, ToldAlert>();
  const found: Alert[] = [];
  for (const task of mine) {
    const hours = hoursLeft(task, now, threshold);
    if (hours === undefined) continue;
    const before = told.get(task.id)?.hours ?? Infinity;
    if (hours < before) found.push({ task: task.id, kind: "deadline", message: sayDeadline(task.id, hours) });
    standing.set(task.id, { hours: Math.min(hours, before) });
  }
  for (const { id } of disputes) {
    const message = `Alert: Task #${id} is disputed`;
    if (told.get(id)?.disputed !== true) found.push({ task: id, kind: "dispute", message });
    standing.set(id, { ...standing.get(id), disputed: true });
  }
  return { alerts: found, memory: Object.fromEntries(standing) };
}

/** The hours left, rounded up; 0 if the deadline passed; undefined if it is no matter of alert. */
function hoursLeft(task: Held, now: Instant, threshold: Millis): number | undefined {
  const due = dueAt(task);
  if (due === undefined || !WITH_DEADLINE.includes(task.status)) return undefined;
  const left = due - now;
  if (left > threshold || (task.status === "expired" && left < -RECENTLY)) return undefined;
  return Math.max(0, Math.ceil(left / HOUR));
}

function sayDeadline(id: string, hours: number): string {
  if (hours === 0) return `Alert: Task #${id} deadline passed`;
  return `Alert: Task #${id} deadline in ${hours} ${hours === 1 ? "hour" : "hours"}`;
}

/** What was stored, without what is none: an alert that is told twice is better than none. */
function readTold(memory: unknown): Map<string, ToldAlert> {
  const told = new Map<string, ToldAlert>();
  if (typeof memory !== "object" || memory === null) return told;
  for (const [id, entry] of Object.entries(memory)) {
    const { hours, disputed } = (entry ?? {}) as Partial<Record<keyof ToldAlert, unknown>>;
    told.set(id, {
      ...(typeof hours === "number" && hours >= 0 ? { hours } : {}),
      ...(disputed === true ? { disputed } : {}),
    });
  }
  return told;
}
