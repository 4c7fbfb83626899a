import { parentPort } from "node:worker_threads";
import type { Answer, Task } from "./crew.ts";
import { foundAt, MUTANTS, runSeed } from "./run.ts";
import type { Violation } from "./violation.ts";

/** One of the crew: does a task after the other, and says what it found. */
async function work(task: Task): Promise<readonly Violation[]> {
  if (task.mutant !== undefined) {
    const mutant = MUTANTS[task.mutant];
    const violation = mutant && (await foundAt(mutant, task.first, task.seeds));
    return violation === undefined ? [] : [violation];
  }
  const violations: Violation[] = [];
  for (let seed = task.first; seed < task.first + task.seeds; seed++)
    violations.push(...(await runSeed(seed)).violations);
  return violations;
}

parentPort?.on("message", (task: Task) => {
  work(task).then(
    (violations) => parentPort?.postMessage({ violations } satisfies Answer),
    // What is thrown here is a fault of the simulation itself: the thread ends with it.
    (error: unknown) => process.nextTick(() => Promise.reject(error)),
  );
});
