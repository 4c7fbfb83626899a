import { HOUR, MINUTE, type Millis } from "../duration.ts";
import type { ActiveHours } from "../schedule/active-hours.ts";
import type { Schedule } from "../schedule/schedule.ts";

/**
 * What becomes of due instants that passed while nobody could run them: `once` runs the newest of them, late;
 * `skip` runs none; `all` runs each in its order, the newest `MOST_CAUGHT_UP` at most, and so lets an instant that
 * comes due during a run wait instead of leaving it out.
 */
export type Missed = "once" | "skip" | "all";

/** When an action should run, and when rather not. */
export interface ActionPlan {
  readonly schedule: Schedule;
  /** A run begins up to so much after its due instant, but always before the next one. */
  readonly jitter: Millis;
  readonly activeHours?: ActiveHours;
  readonly maxPerHour?: number;
  readonly missed: Missed;
  readonly enabled: boolean;
}

export const MOST_CAUGHT_UP = 100;
/** A run that begins so much later than planned has missed its instant, for those that skip missed ones. */
export const LATE: Millis = MINUTE;
/** Instants that pass unused are counted up to here; beyond, the entry says that there were more. */
export const MOST_COUNTED = 100;
/** The stretch that `maxPerHour` is about. */
export const RATE_SPAN: Millis = HOUR;
