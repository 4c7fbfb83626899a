import { statSync } from "node:fs";
import { join } from "node:path";
import { list } from "./read.ts";

/** Whether a process here has this very file as its standard output. False where there is no `/proc`. */
export function isSomebodysOutput(file: { readonly dev: number; readonly ino: number }): boolean {
  return list("/proc").some((pid) => {
    if (!/^[0-9]+$/.test(pid)) return false;
    try {
      const { dev, ino } = statSync(join("/proc", pid, "fd/1"));
      return dev === file.dev && ino === file.ino;
    } catch {
      // It is gone, or it is not ours to look at.
      return false;
    }
  });
}
