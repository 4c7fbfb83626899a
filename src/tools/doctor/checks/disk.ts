import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { quoted } from "../../../core/quoted.ts";
import type { Check } from "../check.ts";
import { limitOn, sayBytes } from "../free-space.ts";

/** Warned of at so many times the limit: time enough to do something. */
const EARLY = 5;
/** A beat is a file: with fewer left than this the spool is as good as full. */
const FEWEST_FILES = 1000;

export const diskCheck: Check = {
  name: "disk",
  looksAt:
    "free space on the home's disk: an error under 100 MB (or 1 % of a small disk, or `--min-free`), a warning under five times that",
  worst: "error",
  async run({ home, host, minFree }) {
    const path = nearestThere(home.path);
    const { free, total, freeFiles } = host.diskSpace(path);
    const limit = limitOn(total, minFree);
    const says = `${sayBytes(free)} of ${sayBytes(total)} are free on the disk of ${path}`;
    const todo = `Free some space; list the largest folders: du -xh ${quoted(path)} | sort -h | tail`;
    if (free < limit)
      return [{ level: "error", says: `${says}, under the limit of ${sayBytes(limit)}`, todo }];
    if (freeFiles !== undefined && freeFiles < FEWEST_FILES)
      return [
        {
          level: "error",
          says: `the disk of ${path} can hold only ${freeFiles} more files`,
          todo: `Remove files; count them: df -i ${quoted(path)}`,
        },
      ];
    if (free < limit * EARLY)
      return [{ level: "warning", says: `${says}, close to the limit of ${sayBytes(limit)}`, todo }];
    return [{ level: "ok", says }];
  },
};

/** A home that is not there yet will be made on the disk of its nearest parent. */
function nearestThere(path: string): string {
  const parent = dirname(path);
  return parent === path || existsSync(path) ? path : nearestThere(parent);
}
