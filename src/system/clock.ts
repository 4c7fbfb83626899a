import { uptime } from "node:os";
import type { Clock } from "../ports/clock.ts";

/** Node fires a timer with a longer delay at once. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** The machine's own clocks. A delay of more than 24 days is cut to that. */
export const systemClock: Clock = {
  wall: Date.now,
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1000,
  soon: setImmediate,
  after(delay, call) {
    const timer = setTimeout(call, Math.min(delay, LONGEST_DELAY));
    return () => clearTimeout(timer);
  },
};
