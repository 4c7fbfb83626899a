import { type FailedCheck, failWork, findWork, finishWork, type Work } from "../agent/work.ts";
import { type End, runLine } from "../system/exec.ts";

/** So much of the end of a check's output is kept. */
const KEPT = 2000;

/**
 * Runs the checks of work that is said to be done, in the folder and environment of whoever called, and records how that went: the
 * work is done, or it stays under way with the check that failed. `show` gets what the checks write.
 */
export async function completeWork(id: string, home: string, show: (chunk: Buffer) => void): Promise<Work> {
  const { checks = [] } = findWork(id, home);
  for (const check of checks) {
    const { last, ...end } = await runLine(check, { env: process.env }, show, KEPT);
    if (end.code === 0) continue;
    const failed: FailedCheck = {
      ...{ at: new Date().toISOString(), check, problem: sayEnd(end) },
      output: last.toWellFormed(),
    };
    return failWork(id, failed, home);
  }
  return finishWork(id, home, true);
}

function sayEnd({ code, signal, failure }: End): string {
  if (failure !== undefined) return `could not be started (${failure.code ?? failure.message})`;
  return signal === null ? `ended with ${code}` : `was ended by ${signal}`;
}
