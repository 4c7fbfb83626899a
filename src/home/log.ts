import { closeSync, fstatSync, ftruncateSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import pino from "pino";
import type { Log } from "../ports/log.ts";
import { makeFolder, openToAppend } from "../system/files.ts";

/** How large the log grows before it is put aside, and how many that were put aside are kept beside it. */
const LARGEST = 10 * 1024 * 1024;
const KEPT = 3;
/** A line longer than this is cut: first its texts, and then all but what it is about. */
const LONGEST_LINE = 8 * 1024;
const LONGEST_TEXT = 1000;

/** The daemon's log: JSON Lines in the home. `rollcall.log.1` is the newest of those that were put aside. */
export function fileLog(file: string, largest: number = LARGEST): { log: Log; close: () => void } {
  makeFolder(dirname(file));
  let fd: number | undefined = openToAppend(file);
  let size = fstatSync(fd).size;

  const startAnew = (): void => {
    if (fd === undefined) return;
    try {
      rotate(file);
      const next = openToAppend(file);
      closeSync(fd);
      fd = next;
    } catch {
      // Something stands in the way: then what is old goes, because a full disk would end more than the log.
      ftruncateSync(fd);
    }
    size = fstatSync(fd).size;
  };

  // pino's own destination throws on a full disk, and tries for ever to flush. A lost line must not end the watcher.
  const destination = {
    write(line: string) {
      try {
        if (fd === undefined) return;
        if (size >= largest) startAnew();
        size += writeSync(fd, line.length > LONGEST_LINE ? cut(line) : line);
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

function rotate(file: string): void {
  for (let n = KEPT - 1; n > 0; n--) {
    try {
      renameSync(`${file}.${n}`, `${file}.${n + 1}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  renameSync(file, `${file}.1`);
}

/** A line that is still JSON, with its long texts cut; if even that is too long, only what it is about. */
function cut(line: string): string {
  const shorten = (_: string, value: unknown): unknown =>
    typeof value === "string" && value.length > LONGEST_TEXT
      ? `${value.slice(0, LONGEST_TEXT)}… (${value.length} characters)`
      : value;
  const whole = JSON.parse(line, shorten) as Record<string, unknown>;
  const shorter = JSON.stringify(whole);
  if (shorter.length <= LONGEST_LINE) return `${shorter}\n`;
  const { level, time, msg } = whole;
  return `${JSON.stringify({ level, time, cut: `${line.length} characters`, msg })}\n`;
}
