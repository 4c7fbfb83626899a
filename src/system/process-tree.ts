import { readdirSync, readFileSync } from "node:fs";

/**
 * Every living process of a run: those of its process group, and those that left the group but still carry the
 * run's mark in their environment.
 */
export function processesOf(group: number, mark: string): number[] {
  return pids().filter((pid) => pid !== process.pid && isOf(pid, group, mark));
}

function pids(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function isOf(pid: number, group: number, mark: string): boolean {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return false;
  // After the last parenthesis: state, parent, process group.
  const [state, , processGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === "Z" || state === "X") return false;
  if (Number(processGroup) === group) return true;
  return read(`/proc/${pid}/environ`)?.split("\0").includes(mark) ?? false;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

/** Sends a signal to the whole group and to every process of the run that left it. */
export function signalAll(group: number, mark: string, signal: NodeJS.Signals): void {
  const strays = processesOf(group, mark);
  send(-group, signal);
  for (const pid of strays) send(pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}
