import { closeSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import pino from "pino";
import { makeFolder, openToAppend } from "../agent/files.ts";
import type { Log } from "../ports/log.ts";

/** The daemon's log: JSON Lines in the home. */
export function fileLog(file: string): { log: Log; close: () => void } {
  makeFolder(dirname(file));
  let fd: number | undefined = openToAppend(file);
  // pino's own destination throws on a full disk, and tries for ever to flush. A lost line must not end the watcher.
  const destination = {
    write(line: string) {
      try {
        if (fd !== undefined) writeSync(fd, line);
      } catch {
        // There is nowhere left to say it.
      }
    },
  };
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  const close = () => {
    if (fd !== undefined) closeSync(fd);
    // The number may soon be another file's.
    fd = undefined;
  };
  return { log: logger, close };
}
