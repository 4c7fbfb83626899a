import { uptime } from "node:os";
import type { Clock } from "../ports/clock.ts";

/** The machine's own clocks. */
export const systemClock: Clock = {
  wall: Date.now,
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1000,
  soon: setImmediate,
  after(delay, call) {
    const timer = setTimeout(call, delay);
    return () => clearTimeout(timer);
  },
};
