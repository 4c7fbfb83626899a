export { systemClock } from "../heartbeat/system-clock.ts";
