import { HOUR, type Instant, type Millis, SECOND } from "../core/duration.ts";
import { type Incident, isOpen, isWell, severityOf } from "../core/incident/incident.ts";
import type { Flip } from "../core/liveness/verdict.ts";
import { HEALTHY } from "../core/recovery/ladder.ts";
import type { Next } from "../core/recovery/next.ts";
import type { Recovery } from "../core/recovery/recovery.ts";
import { type NextStep, sayNext } from "../core/recovery/words.ts";
import type { Changes, RecoveryChange, Snapshot } from "../ports/store.ts";
import { recoveryChange, type StepOptions, StepTaker } from "./take-step.ts";

/** How long after a step that was dropped the next one is planned at the earliest. */
const RESTS: Millis = 10 * SECOND;
/** How many steps are under way at once: after a reboot everybody needs one. */
const PARALLEL = 4;
/** The newest steps that still count; more than these decide nothing. */
const COUNTED = 20;
/** One that went wrong is put off so long. */
const AGAIN: Millis = SECOND;
const LONGEST_SLEEP: Millis = HOUR;

export interface RecoverersOptions extends StepOptions {
  readonly incidents: () => Iterable<Incident>;
}

/** What is known of one agent's recoveries. */
interface Line {
  /** Those that still count: taken since it was last healthy for long. */
  earlier: readonly Recovery[];
  healthySince: Instant | undefined;
  /** A step that was dropped because all had changed is not planned again at once. */
  restsUntil: Instant;
  busy: boolean;
  cancel: () => void;
}

/**
 * Brings agents back: an incident leads to the next step of the agent's ladder, which is planned, looked at again,
 * taken and recorded. Each of these is committed before the next, so that after a crash at any moment it is known
 * whether something may have been done; that then counts, and is not repeated as if nothing had been.
 */
export class Recoverers {
  readonly #options: RecoverersOptions;
  readonly #taker: StepTaker;
  readonly #lines = new Map<string, Line>();
  /** The open incidents of agents, by agent. */
  readonly #incidents = new Map<string, Incident>();
  readonly #abort = new AbortController();
  readonly #under = new Set<Promise<void>>();
  readonly #waiting = new Set<string>();
  #started = false;

  constructor(
    options: RecoverersOptions,
    { incidents, recoveries }: Pick<Snapshot, "incidents" | "recoveries">,
  ) {
    this.#options = options;
    this.#taker = new StepTaker(options, this.#abort.signal);
    for (const incident of incidents) this.#noteIncident(incident);
    for (const recovery of recoveries) this.#noteRecovery({ recovery, counts: true });
  }

  /** Says what became of the steps that a killed watcher left behind, and begins. */
  async start(): Promise<void> {
    const left = [...this.#lines.values()]
      .flatMap(({ earlier }) => earlier)
      .flatMap((each) => this.#leftBehind(each));
    for (const [agent, line] of this.#lines) line.healthySince = this.#wellSince(agent);
    await this.#taker.persist({ recoveries: left.map(recoveryChange) });
    for (const incident of this.#options.incidents()) this.#noteIncident(incident);
    this.#started = true;
    this.reconsider();
  }

  /** Steps that are under way are ended, and that is recorded. */
  async stop(): Promise<void> {
    this.#started = false;
    this.#abort.abort();
    for (const line of this.#lines.values()) line.cancel();
    await Promise.all(this.#under);
  }

  /** Takes up what has been committed. */
  note({ incidents = [], recoveries = [], flips = [], blind = [] }: Changes): void {
    if (incidents.length + recoveries.length + flips.length + blind.length === 0) return;
    const touched = new Set<string>();
    for (const { incident } of incidents) {
      this.#noteIncident(incident);
      touched.add(incident.subject);
    }
    for (const change of recoveries) {
      this.#noteRecovery(change);
      touched.add(change.recovery.agent);
    }
    for (const flip of flips) {
      const line = this.#lines.get(flip.agent);
      if (line !== undefined) line.healthySince = healthAfter(line.healthySince, flip);
      touched.add(flip.agent);
    }
    if (!this.#started) return;
    // Where the clock was set, or the host slept, nothing is due when it was thought to be.
    if (blind.length > 0) this.reconsider();
    else for (const agent of touched) this.#consider(agent);
  }

  /** Another config is in force: whoever is in trouble may have another ladder. */
  reconsider(): void {
    for (const agent of new Set([...this.#incidents.keys(), ...this.#lines.keys()])) this.#consider(agent);
  }

  /** What comes next for an agent in trouble. */
  nextStep(agent: string): NextStep | undefined {
    const incident = this.#incidents.get(agent);
    if (incident === undefined) return undefined;
    const { earlier = [], restsUntil = 0 } = this.#lines.get(agent) ?? {};
    const next = this.#rested(
      { restsUntil },
      this.#options.clock.wall(),
      this.#taker.next(incident, earlier),
    );
    return next && sayNext(next, this.#options.ladder(agent));
  }

  #noteIncident(incident: Incident): void {
    if (incident.kind !== "agent") return;
    if (isOpen(incident)) this.#incidents.set(incident.subject, incident);
    else if (this.#incidents.get(incident.subject)?.id === incident.id)
      this.#incidents.delete(incident.subject);
  }

  #noteRecovery({ recovery, counts }: RecoveryChange): void {
    const line = this.#line(recovery.agent);
    const others = line.earlier.filter(({ id }) => id !== recovery.id);
    line.earlier = counts ? [...others, recovery] : others;
  }

  #line(agent: string): Line {
    let line = this.#lines.get(agent);
    if (line === undefined) {
      line = { earlier: [], healthySince: undefined, restsUntil: 0, busy: false, cancel: () => {} };
      this.#lines.set(agent, line);
    }
    return line;
  }

  #leftBehind(recovery: Recovery): Recovery[] {
    const endedAt = this.#options.clock.wall();
    if (recovery.state === "planned")
      return [
        {
          ...recovery,
          state: "dropped",
          why: "moved-on: the watcher stopped before it took this step",
          endedAt,
        },
      ];
    if (recovery.state !== "acting") return [];
    const why = "the watcher stopped during this step; the step may have been done";
    return [{ ...recovery, state: "failed", why, endedAt: recovery.startedAt ?? endedAt, mayBeDone: true }];
  }

  #wellSince(agent: string): Instant | undefined {
    const standing = this.#options.place(agent)?.entry.standing;
    return standing !== undefined && isWell(standing.verdict.state) ? standing.since : undefined;
  }

  /** Does what is due for an agent, or sets the clock for when something may be. */
  #consider(agent: string): void {
    if (!this.#started || (!this.#lines.has(agent) && this.#options.ladder(agent).length === 0)) return;
    const incident = this.#incidents.get(agent);
    const line = this.#line(agent);
    if (line.busy) return;
    line.cancel();
    const now = this.#options.clock.wall();
    const next = incident && this.#rested(line, now, this.#taker.next(incident, line.earlier));
    const isOff = this.#options.place(agent) === undefined && line.earlier.length > 0;
    const forgets = isOff ? 0 : this.#forgetsAt(line);
    if (next !== undefined && (next.take !== undefined || next.untold === true)) this.#queue(agent);
    else if (forgets <= now) this.#work(agent, line, () => this.#forget(line, isOff));
    else if (line.earlier.length === 0 && next?.at === undefined) this.#lines.delete(agent);
    else {
      const at = Math.min(next?.at ?? Number.POSITIVE_INFINITY, forgets);
      if (!Number.isFinite(at)) return;
      const sleep = Math.min(LONGEST_SLEEP, Math.max(1, at - now));
      line.cancel = this.#options.clock.after(sleep, () => this.#consider(agent));
    }
  }

  #rested(
    { restsUntil: at }: Pick<Line, "restsUntil">,
    now: Instant,
    next: Next | undefined,
  ): Next | undefined {
    const rests = next?.take !== undefined && now < at && at - now <= RESTS;
    return rests ? { take: undefined, why: "backing-off", at } : next;
  }

  #queue(agent: string): void {
    this.#waiting.add(agent);
    this.#pump();
  }

  #pump(): void {
    for (const agent of this.#waiting) {
      if (!this.#started || this.#under.size >= PARALLEL) return;
      this.#waiting.delete(agent);
      const line = this.#line(agent);
      if (!line.busy) this.#work(agent, line, () => this.#step(agent, line));
    }
  }

  #work(agent: string, line: Line, work: () => Promise<void>): void {
    line.busy = true;
    line.cancel();
    const ended = work()
      .catch((error: unknown) => this.#complain(agent, error))
      .finally(() => {
        line.busy = false;
        this.#under.delete(ended);
        this.#pump();
        this.#consider(agent);
      });
    this.#under.add(ended);
  }

  /** One that throws is put off, so that it can stall neither itself for ever nor others. */
  async #complain(agent: string, error: unknown): Promise<void> {
    const problem = error instanceof Error ? error.message : String(error);
    this.#options.log.error({ agent, problem }, "a recovery went wrong");
    await this.#taker.pause(AGAIN);
  }

  async #step(agent: string, line: Line): Promise<void> {
    const known = { incident: () => this.#incidents.get(agent), earlier: () => line.earlier };
    if ((await this.#taker.take(known)) === "dropped") line.restsUntil = this.#options.clock.wall() + RESTS;
  }

  #forgetsAt({ earlier, healthySince }: Line): Instant {
    if (earlier.length > COUNTED) return 0;
    return earlier.length === 0 || healthySince === undefined
      ? Number.POSITIVE_INFINITY
      : healthySince + HEALTHY;
  }

  /** Says what no longer counts: all of it, or the oldest of very many. */
  async #forget(line: Line, isOff: boolean): Promise<void> {
    const over =
      isOff || this.#forgetsAt(line) > 0
        ? line.earlier
        : line.earlier.toSorted((a, b) => a.plannedAt - b.plannedAt).slice(0, -COUNTED);
    await this.#taker.persist({ recoveries: over.map((recovery) => ({ recovery, counts: false })) });
  }
}

function healthAfter(since: Instant | undefined, { to, noticedAt }: Flip): Instant | undefined {
  if (severityOf(to) !== undefined) return undefined;
  return isWell(to) ? (since ?? noticedAt) : since;
}
