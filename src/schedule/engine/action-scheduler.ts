import { setMaxListeners } from "node:events";
import { account, begin } from "../../core/action/account.ts";
import { decide, plannedFor } from "../../core/action/decide.ts";
import { type Ending, finish, recover } from "../../core/action/finish.ts";
import { type ActionChange, type ActionState, newState, type Run } from "../../core/action/state.ts";
import { sayUnknownAction } from "../../core/action/unknown.ts";
import { type Instant, type Millis, SECOND } from "../../core/duration.ts";
import { formatSchedule, instantAfter } from "../../core/schedule/schedule.ts";
import type { ActionStore } from "../../ports/action-store.ts";
import { type Clock, pause } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { systemClock } from "../../system/clock.ts";
import type { HeartbeatAction } from "./action.ts";
import { Alarm, LONGEST_SLEEP } from "./alarm.ts";
import { commitSurely } from "./commit.ts";
import { type Attempt, execute } from "./execute.ts";
import { memoryActionStore } from "./memory-store.ts";
import { ActionError, type ActionOptions, type SettledOptions, settleOptions } from "./options.ts";
import { gatewaySender, problemOf, type Surroundings, stderrLog, textLog } from "./surroundings.ts";

export interface SchedulerOptions<Gateway = unknown, Runtime = unknown, Session = unknown, Logger = unknown>
  extends Surroundings<Gateway, Runtime, Session, Logger> {
  /** Where the state lives, and where messages go instead of the gateway; the process's memory unless given. */
  readonly store?: ActionStore;
  readonly clock?: Clock;
  /** For the scheduler's own lines; the `logger`, or warnings on stderr, unless given. */
  readonly log?: Log;
  /** How many runs there are at once at most; 8 unless given. */
  readonly concurrency?: number;
  /** How long a run that was told to stop may take before it is abandoned; 5 s unless given. */
  readonly grace?: Millis;
}

/** An action as it stands, for a reader. */
export interface ScheduledAction extends SettledOptions {
  readonly action: HeartbeatAction;
  readonly state: ActionState;
  readonly enabled: boolean;
  readonly running: boolean;
  /** When it is looked at next, which is when it runs unless a reason keeps it from that. */
  readonly next: Instant;
}

/** An action with what is known of it. `line`: whatever changes its state happens one after the other. */
interface Entry {
  readonly action: HeartbeatAction;
  readonly settled: SettledOptions;
  state: ActionState;
  at: Instant;
  attempt: Attempt<unknown> | undefined;
  ended: Promise<Run | undefined>;
  line: Promise<unknown>;
  gone: boolean;
}

/** From a start to its stop. What belongs to a life that is over changes nothing any more. */
interface Life {
  readonly stopping: AbortController;
  over: boolean;
  stopped?: Promise<void>;
}

/**
 * Runs actions when they are due: one timer for all, decisions by the rules of `core/action`, every change of an
 * action's state committed before it is the truth.
 *
 *   idle ──due──▶ begun (committed) ──▶ running ──ended, timed out or abandoned──▶ recorded (committed) ──▶ idle
 */
export class ActionScheduler {
  readonly #store: ActionStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #options: SchedulerOptions;
  readonly #grace: Millis;
  readonly #concurrency: number;
  readonly #entries = new Map<string, Entry>();
  /** Those that were removed during a run. */
  readonly #leaving = new Map<string, Entry>();
  /** The committed state of every action that was ever heard of. */
  readonly #known = new Map<string, ActionState>();
  /** Those that are due while as many run as may. */
  readonly #waiting = new Set<Entry>();
  #running = 0;
  #life: Life | undefined;
  readonly #alarm: Alarm;

  constructor(options: SchedulerOptions = {}) {
    this.#options = options;
    this.#store = options.store ?? memoryActionStore(gatewaySender(options));
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? (options.logger === undefined ? stderrLog : textLog(options.logger));
    this.#grace = options.grace ?? 5 * SECOND;
    this.#concurrency = options.concurrency ?? 8;
    this.#alarm = new Alarm(this.#clock, (now, setBack) => this.#lookAtDue(now, setBack));
  }

  /** Schedules an action, from now on or from the start on. */
  add(
    action: HeartbeatAction,
    when: { readonly every: Millis } | { readonly cron: string },
    options: ActionOptions = {},
  ): void {
    const name: unknown = action?.name;
    if (typeof name !== "string" || name === "" || typeof action.execute !== "function")
      throw new ActionError("bad-action", "an action needs a name and a function execute");
    if (this.#entries.has(name))
      throw new ActionError(
        "duplicate-action",
        `there already is an action ${name}; give this one another name, or remove the other first`,
      );
    const settled = settleOptions(name, when, options);
    const schedule = formatSchedule(settled.plan.schedule);
    const entry: Entry = {
      action,
      settled,
      state: newState(name, schedule, this.#clock.wall()),
      at: Number.POSITIVE_INFINITY,
      attempt: undefined,
      ended: Promise.resolve(undefined),
      // One that left under this name comes to its end first.
      line: this.#leaving.get(name)?.ended ?? Promise.resolve(),
      gone: false,
    };
    this.#entries.set(name, entry);
    const life = this.#life;
    // What goes wrong is logged there.
    if (life !== undefined) this.#inLine(entry, life, () => this.#join(entry, life)).catch(() => {});
  }

  /** Schedules it no more; a run that is under way is told to stop. Its state and its history stay. */
  remove(name: string): boolean {
    const entry = this.#entries.get(name);
    if (entry === undefined) return false;
    this.#entries.delete(name);
    entry.gone = true;
    if (entry.attempt !== undefined) {
      this.#leaving.set(name, entry);
      entry.attempt.stop();
    }
    return true;
  }

  /**
   * Loads what is known and begins. Resolves when every action has its place; what was missed runs after that. One that
   * takes the place of another, which has stopped, goes on with what that one knew.
   */
  async start(before?: ActionScheduler): Promise<void> {
    await this.#life?.stopped;
    if (this.#life !== undefined) return;
    const life: Life = { stopping: new AbortController(), over: false };
    // Whoever waits for a store that fails listens: that can be all of them.
    setMaxListeners(0, life.stopping.signal);
    this.#life = life;
    try {
      const known = before === undefined ? await this.#store.load() : before.#known.values();
      for (const state of known) this.#known.set(state.action, state);
    } catch (error) {
      this.#life = undefined;
      throw error;
    }
    const joined = [...this.#entries.values()].map((entry) => {
      entry.line = Promise.resolve();
      return this.#inLine(entry, life, () => this.#join(entry, life));
    });
    this.#alarm.start();
    await Promise.all(joined);
  }

  /** Starts nothing more, tells what runs to stop, and waits for it; not longer than the grace. */
  async stop(): Promise<void> {
    const life = this.#life;
    if (life === undefined) return;
    life.stopped ??= this.#end(life);
    await life.stopped;
  }

  async #end(life: Life): Promise<void> {
    life.stopping.abort();
    this.#alarm.stop();
    const entries = [...this.#entries.values(), ...this.#leaving.values()];
    for (const entry of entries) entry.attempt?.stop();
    const settled = (async () => {
      await Promise.all(entries.map(({ line }) => line));
      await Promise.all(entries.map(({ ended }) => ended));
    })();
    const over = new AbortController();
    await Promise.race([settled, pause(this.#grace, this.#clock, over.signal)]);
    over.abort();
    life.over = true;
    for (const entry of entries) {
      if (entry.attempt !== undefined)
        this.#log.warn({ action: entry.action.name }, "a run did not stop in time and is left behind");
      entry.attempt = undefined;
      entry.at = Number.POSITIVE_INFINITY;
    }
    this.#leaving.clear();
    this.#waiting.clear();
    this.#running = 0;
    this.#life = undefined;
  }

  /** An operator's word, which outlives restarts. */
  async enable(name: string, enabled: boolean): Promise<void> {
    const entry = this.#find(name);
    const life = this.#alive();
    await this.#inLine(entry, life, async () => {
      await this.#turn(entry, life);
      await this.#commit(entry, life, { state: { ...entry.state, enabled } });
    });
    this.#look(entry, life);
  }

  /** Runs an action at once, whatever its schedule and hours say; resolves with its entry in the history. */
  async run(name: string): Promise<Run> {
    const entry = this.#find(name);
    const life = this.#alive();
    const overlap = await this.#inLine(entry, life, async () => {
      const dueAt = this.#clock.wall();
      const runId = `${name}@${dueAt}!`;
      if (entry.attempt !== undefined)
        return { action: name, id: runId, dueAt, outcome: "skipped", reason: "overlap" } as const;
      const running = { runId, dueAt, startedAt: dueAt, attempt: 1, manual: true } as const;
      await this.#commit(entry, life, { state: begin(entry.settled.plan, entry.state, running) });
      this.#running += 1;
      this.#execute(entry, life);
      return undefined;
    });
    const run = overlap ?? (await entry.ended);
    if (run === undefined) throw new Error(`the scheduler stopped before ${name} ended`);
    return run;
  }

  /** The actions in the order in which they were added. */
  list(): readonly ScheduledAction[] {
    return [...this.#entries.values()].map(({ action, settled, state, at, attempt }) => ({
      action,
      ...settled,
      state,
      enabled: state.enabled ?? settled.plan.enabled,
      running: attempt !== undefined,
      next: at,
    }));
  }

  /** The moments at which an action is planned to run next, jitter included. */
  upcoming(name: string, count: number): readonly Instant[] {
    const { settled, state } = this.#find(name);
    const timeline = { schedule: settled.plan.schedule, shift: state.shift };
    const moments: Instant[] = [];
    let at = Math.max(state.settledTo, this.#clock.wall());
    while (moments.length < count) {
      at = instantAfter(timeline, at);
      if (at === Number.POSITIVE_INFINITY) break;
      moments.push(plannedFor(settled.plan, state, at));
    }
    return moments;
  }

  #find(name: string): Entry {
    const entry = this.#entries.get(name);
    if (entry !== undefined) return entry;
    throw new ActionError("unknown-action", sayUnknownAction(name, [...this.#entries.keys()]));
  }

  #alive(): Life {
    if (this.#life === undefined) throw new Error("the scheduler is not started");
    return this.#life;
  }

  /** One change of an action after the other. One that fails is logged, and the next has its turn. */
  #inLine<Result>(entry: Entry, life: Life, task: () => Promise<Result>): Promise<Result> {
    const turn = entry.line.then(task);
    entry.line = turn.catch((error) => {
      if (!life.stopping.signal.aborted)
        this.#log.error({ action: entry.action.name }, `the scheduler failed: ${problemOf(error)}`);
    });
    return turn;
  }

  /** Takes up the state of an action, and what a process that ended without a word left behind. */
  async #join(entry: Entry, life: Life): Promise<void> {
    const { settled, action } = entry;
    const now = this.#clock.wall();
    const schedule = formatSchedule(settled.plan.schedule);
    const known = this.#known.get(action.name);
    let state = known ?? newState(action.name, schedule, now);
    if (state.schedule !== schedule) {
      // What another schedule left open says nothing about this one.
      const shift = state.settledTo > now ? state.shift + 1 : state.shift;
      state = { ...state, schedule, settledTo: now, shift };
    }
    const change = recover(state, settled.plan.missed, now);
    if (change.runs !== undefined)
      this.#log.warn({ action: action.name }, "the process ended during the last run of this action");
    if (change.state !== known) await this.#commit(entry, life, change);
    entry.state = change.state;
    this.#lookAt(entry, now);
  }

  /** Looks at all that are due, or at all after the clock was set back; answers when the next one is. */
  #lookAtDue(now: Instant, setBack: boolean): Instant {
    let earliest = Number.POSITIVE_INFINITY;
    const life = this.#life;
    if (life === undefined) return earliest;
    for (const entry of this.#entries.values()) {
      if (entry.at <= now || (setBack && entry.at !== Number.POSITIVE_INFINITY)) this.#look(entry, life);
      else if (entry.at < earliest) earliest = entry.at;
    }
    return earliest;
  }

  #lookAt(entry: Entry, at: Instant): void {
    entry.at = at;
    this.#alarm.by(at);
  }

  #look(entry: Entry, life: Life): void {
    entry.at = Number.POSITIVE_INFINITY;
    this.#inLine(entry, life, () => this.#turn(entry, life)).catch(() => {
      // It is logged; whatever went wrong, the action is not forgotten for that.
      this.#lookAt(entry, this.#clock.wall() + LONGEST_SLEEP);
    });
  }

  /** Decides about an action, commits the decision and begins the run that it asks for. */
  async #turn(entry: Entry, life: Life): Promise<void> {
    if (life.stopping.signal.aborted || entry.gone) return;
    const { plan } = entry.settled;
    const { setBacks } = this.#alarm;
    const now = this.#clock.wall();
    const decision = decide(plan, entry.state, now, entry.attempt !== undefined);
    const runs = decision.run !== undefined;
    if (runs && this.#running >= this.#concurrency) {
      // Decided anew when its turn comes: until then nothing is settled.
      this.#waiting.add(entry);
      return;
    }
    if (runs) this.#running += 1;
    else this.#letNextBegin(life);
    const { settledTo, shift } = entry.state;
    if (runs || decision.skips.length > 0 || decision.settledTo !== settledTo || decision.shift !== shift) {
      try {
        await this.#commit(entry, life, account(plan, entry.state, decision, now));
      } catch (error) {
        if (runs) this.#running -= 1;
        throw error;
      }
    }
    if (runs) this.#execute(entry, life);
    // A clock that was set back meanwhile makes the answer worthless.
    this.#lookAt(entry, this.#alarm.setBacks === setBacks ? decision.next : now);
  }

  /** Executes the run that is committed as begun. It is not waited for: other decisions go on meanwhile. */
  #execute(entry: Entry, life: Life): void {
    const { work, ending } = execute(entry, this.#clock, this.#grace, this.#log, this.#options);
    entry.attempt = work;
    entry.ended = work.ended.then((attempted) => {
      if (life.over) return undefined;
      const ended = ending(attempted);
      return this.#inLine(entry, life, () => this.#finish(entry, life, ended)).catch(() => undefined);
    });
    if (life.stopping.signal.aborted || entry.gone) work.stop();
  }

  async #finish(entry: Entry, life: Life, ending: Ending): Promise<Run | undefined> {
    const { name } = entry.action;
    const { plan, tellAfter } = entry.settled;
    if (ending.kind !== "done" && ending.kind !== "stopped")
      this.#log.warn({ action: name, outcome: ending.kind }, `action ${name}: ${ending.problem}`);
    const rule = { missed: plan.missed, tellAfter };
    const change = finish(entry.state, ending, rule, this.#clock.wall());
    try {
      await this.#commit(entry, life, change);
    } finally {
      if (!life.over) {
        entry.attempt = undefined;
        this.#running -= 1;
        if (this.#leaving.get(name) === entry) this.#leaving.delete(name);
        this.#letNextBegin(life);
        this.#look(entry, life);
      }
    }
    return change.runs?.[0];
  }

  #letNextBegin(life: Life): void {
    if (this.#waiting.size === 0 || this.#running >= this.#concurrency) return;
    for (const first of this.#waiting) {
      this.#waiting.delete(first);
      this.#look(first, life);
      return;
    }
  }

  async #commit(entry: Entry, life: Life, change: ActionChange): Promise<void> {
    await commitSurely(change, this.#store, this.#clock, this.#log, life.stopping.signal);
    if (life.over) throw new Error("the scheduler has stopped");
    entry.state = change.state;
    this.#known.set(change.state.action, change.state);
  }
}
