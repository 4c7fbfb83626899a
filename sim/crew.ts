import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Violation } from "./violation.ts";

/** Most of what a seed makes is garbage by its end: with so much room, in MB, it need never be copied. */
const YOUNG = 96;

/** Seeds that one thread runs, or the seeds in which it looks for one mutant. */
export interface Task {
  readonly first: number;
  readonly seeds: number;
  /** Which of the mutants; the right engine if none is named. */
  readonly mutant?: number;
}

export interface Answer {
  readonly violations: readonly Violation[];
}

/**
 * Spreads tasks over all cores, a thread each. A seed depends on nothing but its number, so who runs it changes nothing;
 * what was found is handed on in the order of the tasks.
 */
export async function spread(
  tasks: readonly Task[],
  script: URL,
  done: (task: Task, found: readonly Violation[]) => void,
): Promise<void> {
  const answers = new Map<number, Answer>();
  let next = 0;
  let told = 0;
  const tell = () => {
    for (let answer = answers.get(told); answer !== undefined; answer = answers.get(told)) {
      done(tasks[told] as Task, answer.violations);
      answers.delete(told);
      told += 1;
    }
  };
  const thread = () =>
    new Promise<void>((ended, failed) => {
      const worker = new Worker(script, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG } });
      let at = -1;
      const give = () => {
        const task = tasks[next];
        if (task === undefined) return void worker.terminate();
        at = next++;
        worker.postMessage(task);
      };
      worker.on("message", (answer: Answer) => {
        answers.set(at, answer);
        tell();
        give();
      });
      worker.on("error", failed);
      worker.on("exit", () => ended());
      give();
    });
  const size = Math.min(availableParallelism(), tasks.length);
  await Promise.all(Array.from({ length: size }, thread));
}
