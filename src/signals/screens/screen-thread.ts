import { Worker } from "node:worker_threads";
import { SECOND, sayDuration } from "../../core/duration.ts";
import { threadCpu } from "../../system/proc.ts";
import type { PackSource } from "./packs.ts";
import {
  type Drawing,
  type Drawn,
  ScreenProblem,
  type Screens,
  type ToRead,
  type WasRead,
} from "./screens.ts";

/** What the thread of screens is started with. */
export interface ScreenThreadDeps {
  readonly zone: string;
  /** The user's own rules. */
  readonly packs: readonly PackSource[];
}

/** A drop is not answered. */
export type Ask = { readonly draw: Drawing } | { readonly read: ToRead };
export type ScreenMessage = Ask | { readonly drop: number };

/** The first answer tells that the thread is ready; each other one answers the ask that was sent before it. */
export type ScreenAnswer = { readonly value: unknown } | { readonly failed: string };

/** In the product the thread's bundle lies beside ours; from source it is where the build puts it. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "../../../dist/screen-worker.js" : "./screen-worker.js",
  import.meta.url,
);
/** How long drawing or reading one screen may take: CPU time where the machine tells it, because others may take the CPU. */
const BUDGET = SECOND;
/** How long it may take at all; less than a look may take. */
const LONGEST = 4 * SECOND;
/** How much memory the thread may take: 256 terminals take some 280 MB. */
const MEGABYTES = 640;
/** How long the thread may take to start on a busy machine. */
const START_LIMIT = 30 * SECOND;
/** A thread that nobody asked for this long, and that holds no terminal, is ended. */
const KEPT = 60 * SECOND;
/** Time is counted in ticks of our own loop: while the whole process stands still, nobody exceeds anything. */
const TICK = 100;

interface Job {
  readonly ask: Ask;
  readonly abort: AbortSignal | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** How many jobs the thread is given at once, so that it need not wait for us between two of them. */
const AHEAD = 16;

/**
 * The thread that draws and reads screens, seen from outside. It is given a few jobs, which it does one after the other; the
 * others wait here. A job that takes too long fails alone: its thread is ended, and the jobs behind it go on in a new one,
 * in which all terminals are to be opened again. It keeps the process alive only while a job is under way.
 */
export class ScreenThread implements Screens {
  readonly zone: string;
  readonly #opening: ScreenThreadDeps;
  readonly #waiting: Job[] = [];
  readonly #terminals = new Set<number>();
  #worker: Worker | undefined;
  #isReady = false;
  /** What the thread was given, in its order: it is at the first of them. */
  readonly #given: Job[] = [];
  #ticks = 0;
  /** Where the CPU time of the thread is told, and what it was when the present job was first found unfinished. */
  #folder: string | undefined;
  #cpuBefore: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(opening: ScreenThreadDeps) {
    this.#opening = opening;
    this.zone = opening.zone;
  }

  draw(drawing: Drawing, abort?: AbortSignal): Promise<Drawn | undefined> {
    this.#terminals.add(drawing.terminal);
    return this.#ask({ draw: drawing }, abort) as Promise<Drawn | undefined>;
  }

  read(toRead: ToRead, abort?: AbortSignal): Promise<WasRead> {
    return this.#ask({ read: toRead }, abort) as Promise<WasRead>;
  }

  drop(terminal: number): void {
    if (this.#terminals.delete(terminal))
      this.#worker?.postMessage({ drop: terminal } satisfies ScreenMessage);
    if (this.#given.length === 0) this.#rest();
  }

  #ask(ask: Ask, abort: AbortSignal | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ask, abort, resolve, reject });
      this.#next();
    });
  }

  /** Gives the thread what it can take. Only reading is given ahead: what is drawn cannot be taken back. */
  #next(): void {
    while (this.#given.length < AHEAD) {
      const [job] = this.#waiting;
      if (job === undefined || (this.#given.length > 0 && "draw" in job.ask)) break;
      this.#waiting.shift();
      if (job.abort?.aborted === true) job.reject(new ScreenProblem("reading its screen was cancelled"));
      else this.#give(job);
    }
    if (this.#given.length === 0) this.#rest();
  }

  #give(job: Job): void {
    this.#worker ??= this.#start();
    if (this.#given.push(job) === 1) {
      this.#worker.ref();
      clearTimeout(this.#timer);
      this.#ticks = 0;
      this.#timer = setInterval(() => this.#tick(), TICK);
    }
    if (this.#isReady) this.#worker.postMessage(job.ask);
  }

  #start(): Worker {
    const worker = new Worker(ENTRY, {
      workerData: this.#opening,
      name: "rollcall-screens",
      resourceLimits: { maxOldGenerationSizeMb: MEGABYTES },
    });
    this.#isReady = false;
    const isOurs = () => this.#worker === worker;
    worker.on("message", (answer: ScreenAnswer) => {
      if (isOurs()) this.#take(worker, answer);
    });
    worker.on("error", (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      const why = isMemory ? `took more than ${MEGABYTES} MB of memory` : `failed: ${error.message}`;
      if (isOurs()) this.#fail(why);
    });
    worker.on("exit", () => {
      if (isOurs()) this.#fail("failed: its thread ended");
    });
    return worker;
  }

  #take(worker: Worker, answer: ScreenAnswer): void {
    // The next job begins now.
    this.#ticks = 0;
    if (!this.#isReady) {
      this.#isReady = true;
      this.#folder = "value" in answer && typeof answer.value === "string" ? answer.value : undefined;
      for (const { ask } of this.#given) worker.postMessage(ask);
      return;
    }
    const job = this.#given.shift();
    if ("failed" in answer) job?.reject(new Error(answer.failed));
    else job?.resolve(answer.value);
    this.#next();
  }

  #tick(): void {
    this.#ticks += 1;
    const took = this.#ticks * TICK;
    if (!this.#isReady) {
      if (took > START_LIMIT) this.#fail(`took longer than ${sayDuration(START_LIMIT)}`, true);
      return;
    }
    if (this.#ticks === 1) this.#cpuBefore = this.#cpu();
    if (took <= BUDGET) return;
    const cpu = this.#cpu();
    // What it took up to the first tick is not counted, and is less than a tick.
    const isOver =
      cpu === undefined || this.#cpuBefore === undefined || cpu - this.#cpuBefore >= BUDGET - TICK;
    if (isOver) this.#fail(`took longer than ${sayDuration(BUDGET)}`);
    else if (took > LONGEST) this.#fail(`took longer than ${sayDuration(LONGEST)}`, true);
  }

  #cpu(): number | undefined {
    return this.#folder === undefined ? undefined : threadCpu(this.#folder);
  }

  /** Whoever is at work with the thread loses; everybody else is asked again. */
  #fail(why: string, isBusy = false): void {
    const job = this.#given.shift();
    const what = !this.#isReady
      ? "starting the thread that reads screens"
      : job !== undefined && "draw" in job.ask
        ? "drawing its screen"
        : "reading its screen";
    this.#end();
    this.#waiting.unshift(...this.#given.splice(0));
    job?.reject(new ScreenProblem(`${what} ${why}`, isBusy));
    this.#next();
  }

  /** Nothing is to be done. */
  #rest(): void {
    clearTimeout(this.#timer);
    this.#worker?.unref();
    if (this.#worker === undefined || this.#terminals.size > 0) return;
    this.#timer = setTimeout(() => this.#end(), KEPT).unref();
  }

  #end(): void {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }
}
