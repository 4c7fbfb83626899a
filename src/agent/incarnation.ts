import { readFileSync } from "node:fs";

/** One life of a process. A pid alone identifies nothing: it is used again, also across boots. */
export interface Incarnation {
  readonly pid: number;
  /** The process's start in the kernel's ticks since boot, as text: it is only ever compared. */
  readonly startTime: string;
  readonly bootId: string;
}

/** The life that has this pid now; undefined if there is none, or where the system does not tell. */
export function incarnationOf(pid: number): Incarnation | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const bootId = read("/proc/sys/kernel/random/boot_id")?.trim();
  if (stat === undefined || bootId === undefined || bootId === "") return undefined;
  // The second field is the program's name in parentheses, and it may itself contain `)`, spaces and
  // newlines. What follows the last `)` begins with field 3, the state; the start time is field 22.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const startTime = fields[22 - 3];
  if (startTime === undefined || fields[0] === "Z" || fields[0] === "X") return undefined;
  return { pid, startTime, bootId };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}
