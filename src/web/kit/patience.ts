import { type Millis, SECOND } from "../../core/duration.ts";

/** A hung disk gives no error. A sender that waits for its commit longer than this is told to come again. */
export const PATIENCE: Millis = 5 * SECOND;
