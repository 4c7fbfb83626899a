import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder, openToAppend } from "../system/files.ts";

export interface OpenLog {
  readonly path: string;
  /** The caller closes it. */
  readonly fd: number;
  readonly size: number;
}

/** Opens a log to append to it, in a folder that is created if it is missing. One larger than `largest` bytes is put aside first. */
export function openLog(path: string, largest = Number.POSITIVE_INFINITY): OpenLog {
  makeFolder(dirname(path));
  if (existsSync(path) && statSync(path).size > largest) renameSync(path, `${path}.1`);
  const fd = openToAppend(path);
  return { path, fd, size: fstatSync(fd).size };
}

const LOOK_EVERY = 100;
const CHUNK = 64 * 1024;

/** Shows what is appended to a file from an offset on, as it comes. The answer shows the rest and stops. */
export function follow(file: string, from: number, show: (bytes: Buffer) => void): () => void {
  const fd = openSync(file, "r");
  const buffer = Buffer.alloc(CHUNK);
  let offset = from;
  const look = (): void => {
    for (;;) {
      const count = readSync(fd, buffer, 0, CHUNK, offset);
      if (count === 0) return;
      offset += count;
      show(Buffer.from(buffer.subarray(0, count)));
    }
  };
  const timer = setInterval(look, LOOK_EVERY);
  return () => {
    clearInterval(timer);
    look();
    closeSync(fd);
  };
}
