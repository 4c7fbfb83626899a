import { Worker } from "node:worker_threads";
import { StoreError } from "../../ports/store.ts";
import type { AskedDatabase } from "../kit/protocol.ts";
import type {
  Call,
  Slice,
  Sliced,
  SqliteDeps,
  SqliteThreadDeps,
  ThreadAnswer,
  ThreadCalls,
} from "./protocol.ts";

/** What it reads and writes is garbage at once. With more room V8 keeps 17 MB for it, used or not. */
const YOUNG_MEGABYTES = 4;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: StoreError) => void;
}

/**
 * The database's thread, seen from outside: open → closing (by us) or lost (by a crash) → ended. Questions are
 * answered in the order in which they were asked. It keeps the process alive only while one is not answered.
 */
export class DatabaseThread implements AskedDatabase {
  readonly #worker: Worker;
  readonly #file: string;
  readonly #waiting: Waiting[] = [];
  readonly #ended: Promise<void>;
  /** How many slices were taken; the thread waits until it has grown. */
  readonly #taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  /** What has come of the answer to the oldest question. */
  #slices: Slice[] = [];
  #failure: StoreError | undefined;

  private constructor(entry: URL, opening: Omit<SqliteDeps, "takeSlice">) {
    this.#file = opening.file;
    this.#worker = new Worker(entry, {
      workerData: { ...opening, taken: this.#taken } satisfies SqliteThreadDeps,
      name: "rollcall-store",
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    this.#worker.on("message", (answer: ThreadAnswer) => this.#take(answer));
    this.#worker.on("error", (error) => this.#fail(error.message));
    this.#ended = new Promise((resolve) => {
      this.#worker.once("exit", (status) => {
        this.#fail(`it ended with status ${status}`);
        resolve();
      });
    });
  }

  static async open(entry: URL, opening: Omit<SqliteDeps, "takeSlice">): Promise<DatabaseThread> {
    const thread = new DatabaseThread(entry, opening);
    try {
      await thread.#answer();
    } catch (error) {
      thread.#worker.ref();
      await thread.#ended;
      throw error;
    }
    return thread;
  }

  ask<C extends Call>(call: C, ask: ThreadCalls[C]["ask"]): Promise<ThreadCalls[C]["answer"]> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#worker.postMessage({ call, ask });
    return this.#answer() as Promise<ThreadCalls[C]["answer"]>;
  }

  /** Everything asked before is still done; nothing can be asked any more. */
  async close(): Promise<void> {
    const closing = this.ask("close", null);
    this.#failure = new StoreError("closed", `the database ${this.#file} is closed.`);
    await closing;
    await this.#ended;
  }

  #answer(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ resolve, reject }) === 1) this.#worker.ref();
    });
  }

  #take(answer: ThreadAnswer): void {
    if ("slice" in answer) {
      this.#slices.push(answer.slice);
      Atomics.add(this.#taken, 0, 1);
      Atomics.notify(this.#taken, 0);
      return;
    }
    const slices = this.#slices;
    this.#slices = [];
    const waiting = this.#waiting.shift();
    // While it closes, its end is what is waited for.
    if (this.#waiting.length === 0 && this.#failure === undefined) this.#worker.unref();
    if (answer.ok) waiting?.resolve(slices.length === 0 ? answer.value : joined(answer.value, slices));
    else waiting?.reject(new StoreError(answer.code, answer.message));
  }

  #fail(why: string): void {
    const error = new StoreError(
      "failed",
      `the thread of the database ${this.#file} is gone: ${why}. Restart the watcher.`,
    );
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

/** What was loaded, with the parts that came in slices. */
function joined(rest: unknown, slices: readonly Slice[]): unknown {
  const parts: Partial<Record<Sliced, unknown[]>> = {};
  for (const { part, rows } of slices) {
    const all = parts[part] ?? [];
    parts[part] = all;
    for (const row of rows) all.push(row);
  }
  return { ...(rest as object), ...parts };
}
