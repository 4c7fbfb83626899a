import { MINUTE, SECOND } from "../../src/core/duration.ts";
import { sayDuration } from "../words/duration.ts";

/** Whether a clock is wrong by so much that a person should set it. */
export function isWrong(offset: number | null): boolean {
  return offset !== null && Math.abs(offset) >= MINUTE;
}

/** How far the clock of a host is from the hub's, which is the time that the way takes at least. */
export function sayClock(offset: number | null): string {
  if (offset === null) return "–";
  if (Math.abs(offset) < 2 * SECOND) return "right";
  return `${sayDuration(Math.abs(offset))} ${offset > 0 ? "slow" : "fast"}`;
}
