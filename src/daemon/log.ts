import pino from "pino";
import type { Log } from "../ports/log.ts";

/** The daemon's log: JSON Lines in the home. */
export function fileLog(file: string): { log: Log; close: () => void } {
  const destination = pino.destination({ dest: file, mkdir: true, append: true, mode: 0o600, sync: true });
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return { log: logger, close: () => destination.flushSync() };
}
