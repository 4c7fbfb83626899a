import type { ActionChange, ActionState, Outgoing, Run } from "../../src/core/action/state.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/core/duration.ts";
import type { ActionStore } from "../../src/ports/action-store.ts";
import type { HeartbeatAction, HeartbeatContext, HeartbeatResult } from "../../src/schedule/engine/action.ts";
import { ActionScheduler } from "../../src/schedule/engine/action-scheduler.ts";
import type { ActionOptions } from "../../src/schedule/engine/options.ts";
import { VirtualClock } from "../virtual-clock.ts";

export const START = Date.parse("2026-01-10T12:34:56Z");

/** One execution, as the action itself saw it. Times in `ran` are of the monotonic clock. */
export interface Execution {
  readonly dueAt: number;
  readonly wall: number;
  readonly began: number;
  /** The number of the process in which it ran. */
  readonly life: number;
  ended?: number;
  notified?: boolean;
}

export interface Subject {
  readonly name: string;
  readonly when: { readonly every: number } | { readonly cron: string };
  readonly options: ActionOptions & { readonly timeout: number };
  readonly manner: "quick" | "slow" | "deaf" | "failing";
  readonly executions: Execution[];
}

/** A moment at which the world did something to the clocks or to the process. */
export interface Event {
  readonly kind: "step" | "suspend" | "restart" | "kill";
  readonly monotonic: number;
  readonly by: number;
}

/** The calendars that actions have, with zones in which they are the same in every implementation. */
const CALENDARS = [
  ["0 9 * * *", "America/New_York"],
  ["0 9 * * *", "Europe/Berlin"],
  ["15 4 * * 1-5", "Europe/Berlin"],
  ["0 */6 * * *", "Asia/Kathmandu"],
  ["30 6 * * 1", "Australia/Lord_Howe"],
  ["0 0 L * *", "UTC"],
  ["0 12 1,15 * *", "UTC"],
] as const;

export interface Size {
  readonly actions: number;
  readonly length: number;
  /** Between two things that happen to the clock or the process, on average. */
  readonly calm: number;
  readonly paces: readonly number[];
  /** How many of the actions have a calendar, as a part of 1. */
  readonly calendars: number;
}

/** Actions, their scheduler, and a world that is not kind to them; everything follows from the seed. */
export class World {
  readonly clock = new VirtualClock(START);
  readonly subjects: readonly Subject[];
  readonly rows = new Map<string, Map<string, Run>>();
  readonly said = new Map<string, Outgoing>();
  readonly events: Event[] = [];
  /** What the scheduler itself stumbled over. */
  readonly problems: string[] = [];
  readonly #states = new Map<string, ActionState>();
  readonly #random: () => number;
  readonly #size: Size;
  #life = 0;
  #failing = false;

  constructor(seed: number, size: Size) {
    this.#random = mulberry(seed);
    this.#size = size;
    this.subjects = Array.from({ length: size.actions }, (_, n) => this.#subject(n));
  }

  async live(): Promise<void> {
    const end = this.clock.monotonic() + this.#size.length;
    let scheduler = this.#begin();
    while (this.clock.monotonic() < end) {
      await this.clock.run(Math.ceil(-Math.log(1 - this.#random()) * this.#size.calm));
      scheduler = await this.#happen(scheduler);
    }
    // At last all is well, long enough for everything that waits.
    this.#failing = false;
    await this.clock.run(2 * HOUR);
    await this.#stop(scheduler);
  }

  async #happen(scheduler: ActionScheduler): Promise<ActionScheduler> {
    const chance = this.#random();
    const size = this.#pick([30 * SECOND, 10 * MINUTE, 3 * HOUR, 2 * DAY, 40 * DAY]) * (0.5 + this.#random());
    const by = Math.round(size);
    this.#failing = this.#random() < 0.1;
    if (chance < 0.15) this.#note("step", by, () => this.clock.step(by));
    else if (chance < 0.35) this.#note("step", -by, () => this.clock.step(-by));
    else if (chance < 0.5) this.#note("suspend", by, () => this.clock.suspend(by));
    else if (chance < 0.53) {
      // A date that is wrong by years, and is corrected soon.
      this.#note("step", 400 * DAY, () => this.clock.step(400 * DAY));
      await this.clock.run(Math.ceil(this.#random() * HOUR));
      this.#note("step", -400 * DAY, () => this.clock.step(-400 * DAY));
    } else if (chance < 0.75) {
      await this.#stop(scheduler);
      this.#note("restart", by / 10, () => this.clock.freeze(Math.round(by / 10)));
      return this.#begin();
    } else {
      this.clock.forget();
      this.#note("kill", by / 10, () => this.clock.freeze(Math.round(by / 10)));
      return this.#begin();
    }
    return scheduler;
  }

  #note(kind: Event["kind"], by: number, happen: () => void): void {
    happen();
    this.events.push({ kind, by, monotonic: this.clock.monotonic() });
  }

  async #stop(scheduler: ActionScheduler): Promise<void> {
    const stopped = scheduler.stop();
    await this.clock.run(6 * SECOND);
    await stopped;
    this.clock.forget();
  }

  #begin(): ActionScheduler {
    this.#life += 1;
    const error = (_: object, text: string) => {
      if (!text.startsWith("could not store")) this.problems.push(text);
    };
    const log = { info: () => {}, warn: () => {}, error };
    const store = this.#store(this.#life);
    const scheduler = new ActionScheduler({ store, clock: this.clock, log, concurrency: 32 });
    for (const subject of this.subjects) {
      scheduler.add(this.#action(subject, this.#life), subject.when, subject.options);
    }
    void scheduler.start();
    return scheduler;
  }

  /** The store as one process sees it: when that process is gone, nothing that it still does arrives. */
  #store(life: number): ActionStore {
    return {
      load: async () => [...this.#states.values()],
      commit: async (change) => {
        if (life !== this.#life) return new Promise<void>(() => {});
        if (this.#failing && this.#random() < 0.2) throw new Error("the disk is full");
        this.#take(change);
      },
      runs: async () => [],
    };
  }

  #take({ state, runs = [], say = [] }: ActionChange): void {
    this.#states.set(state.action, state);
    const rows = this.rows.get(state.action) ?? new Map<string, Run>();
    this.rows.set(state.action, rows);
    for (const run of runs) rows.set(run.id, run);
    for (const message of say) {
      if (!this.said.has(message.key)) this.said.set(message.key, message);
    }
  }

  #action(subject: Subject, life: number): HeartbeatAction {
    const execute = (context: HeartbeatContext) => this.#execute(subject, life, context);
    return { name: subject.name, description: "-", execute };
  }

  async #execute(
    subject: Subject,
    life: number,
    { dueAt, abort }: HeartbeatContext,
  ): Promise<HeartbeatResult> {
    const { manner, options } = subject;
    const execution: Execution = { dueAt, wall: this.clock.wall(), began: this.clock.monotonic(), life };
    subject.executions.push(execution);
    const slow = manner === "slow" || manner === "deaf";
    const length = slow && this.#random() < 0.5 ? this.#random() * 2 * options.timeout : 0;
    try {
      if (length > 0) {
        await new Promise<void>((done, failed) => {
          const cancel = this.clock.after(Math.ceil(length), done);
          abort.addEventListener("abort", () => {
            if (manner === "deaf") return;
            cancel();
            failed(abort.reason as Error);
          });
        });
      }
      if (manner === "failing" && this.#random() < 0.7) throw new Error("no route");
      execution.notified = this.#random() < 0.3;
      return { shouldNotify: execution.notified, message: "found" };
    } finally {
      execution.ended = this.clock.monotonic();
    }
  }

  #subject(n: number): Subject {
    const [cron, timezone] = this.#pick(CALENDARS);
    const calendar = this.#random() < this.#size.calendars;
    const every = this.#pick(this.#size.paces);
    const options = {
      timeout: this.#pick([30 * SECOND, MINUTE, 20 * MINUTE]),
      missed: this.#pick(["once", "once", "skip", "all"] as const),
      jitter: this.#pick([0, 0, MINUTE, 2 * HOUR]),
      ...(calendar ? { timezone } : {}),
      ...(!calendar && this.#random() < 0.3
        ? { activeHours: this.#pick(["08:00-18:00", "22:00-06:00"]) }
        : {}),
      ...(this.#random() < 0.3 ? { maxPerHour: this.#pick([1, 2, 4]) } : {}),
      enabled: this.#random() < 0.95,
    };
    return {
      name: `action-${n}`,
      when: calendar ? { cron } : { every },
      options,
      manner: this.#pick(["quick", "quick", "slow", "deaf", "failing"]),
      executions: [],
    };
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }
}

/** Random numbers that follow from their seed. */
function mulberry(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  };
}
