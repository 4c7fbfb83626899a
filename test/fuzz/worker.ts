import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import { corpusOf } from "./corpus.ts";
import { inputOf } from "./mutate.ts";
import { targetOf } from "./targets/index.ts";

/** What the fuzzer asks of a thread. */
export interface Job {
  readonly target: string;
  readonly seed: number;
  readonly first: number;
  readonly until: number;
  readonly corpus: string;
  /** Where the thread writes which input it reads now. */
  readonly at: Int32Array;
}

export type Told =
  | { readonly kind: "threw"; readonly at: number; readonly problem: string }
  | { readonly kind: "heap"; readonly at: number; readonly bytes: number };

/** How many inputs lie between two measurements of memory. */
const MEASURE = 2000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

async function main({ target: name, seed, first, until, corpus, at }: Job): Promise<void> {
  const tell = (told: Told) => parentPort?.postMessage(told);
  const target = targetOf(name);
  const known = corpusOf(corpus, name).map(({ input }) => new TextDecoder().decode(input));
  const fed = { ...target, examples: [...target.examples, ...known] };
  const parser = await target.open();
  for (let next = first; Date.now() < until; next++) {
    Atomics.store(at, 0, next);
    try {
      await parser.read(inputOf(fed, seed, next));
    } catch (error) {
      tell({
        kind: "threw",
        at: next,
        problem: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
      return;
    }
    if (next % MEASURE !== 0) continue;
    collect();
    const { heapUsed, external } = process.memoryUsage();
    tell({ kind: "heap", at: next, bytes: heapUsed + external });
    // Messages and timers need a turn of the loop, too.
    await new Promise((done) => setImmediate(done));
  }
  await parser.close();
}

await main(workerData as Job);
