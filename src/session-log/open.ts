import { existsSync, fstatSync, renameSync, statSync } from "node:fs";
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
