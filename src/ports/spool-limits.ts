import { DAY, type Millis } from "../core/duration.ts";

/** How much may wait for the hub. Beyond it ordinary facts go first, and how many went is a fact itself. */
export const SPOOL_BYTES = 64 << 20;
export const SPOOL_AGE: Millis = 7 * DAY;
/** So much of the limit is left free at once, so that dropping is rare. */
export const SPOOL_FREED = 0.1;
