import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** CPU time of all its threads so far, in milliseconds. */
export function cpuOf({ pid }: ChildProcess): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** Resident memory, in MB. */
export function memoryOf({ pid }: Pick<ChildProcess, "pid">): number {
  return (1.024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])) / 1000;
}
