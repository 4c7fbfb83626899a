import type { Agent } from "../core/agent.ts";
import { type Instant, type Millis, SECOND, sayDuration } from "../core/duration.ts";
import type { Observation } from "../core/liveness/observation.ts";
import type { Clock } from "../ports/clock.ts";
import type { SignalReader } from "../ports/signal.ts";
import type { SignalFindings } from "./intent.ts";

/** A look that takes longer than this is given up until the next round. */
const LOOK_LIMIT: Millis = 5 * SECOND;
/** How many looks are under way at once. */
const PARALLEL = 16;
/** How many agents are glanced at before others get their turn: about a millisecond. */
const SLICE = 256;

export interface RoundsOptions {
  readonly clock: Clock;
  readonly interval: Millis;
  /** Opens the signals that an agent names. */
  readonly open: (agent: Agent) => readonly SignalReader[];
  /** What each round finds beside that. */
  readonly also?: (now: Instant) => readonly SignalFindings[];
  /** Takes what was found; resolves when it is judged. */
  readonly notice: (found: readonly SignalFindings[]) => Promise<void>;
  /** The end of the last span that was not watched: where it is another one than in the last round, all is read afresh. */
  readonly blindUntil: () => Instant;
}

/** A reader and how its last look went. */
interface Looking {
  readonly reader: SignalReader;
  /** Set while a look has not come back. */
  busy: boolean;
  degraded: boolean;
}

/** An agent with signals. */
interface Watched {
  readonly settings: string;
  readonly looking: readonly Looking[];
  /** When it was last resumed: while it was paused nobody watched it, so that all is read afresh then. */
  resumedAt: Instant | undefined;
  stale: boolean;
}

/**
 * The rounds: every passive signal of every agent is looked at once an interval, in bounded parallel, each with a time
 * limit of its own. One that hangs or fails is degraded, by name, and holds up nobody.
 */
export class Rounds {
  readonly #options: RoundsOptions;
  readonly #agents = new Map<string, Watched>();
  #cancel: () => void = () => {};
  #blindUntil: Instant | undefined;
  #stopped = false;
  #under: Promise<void> | undefined;
  #interval: Millis;

  constructor(options: RoundsOptions) {
    this.#options = options;
    this.#interval = options.interval;
  }

  /**
   * Begins with a whole round, so that what can be looked at is looked at before anybody is judged. Many signals that hang
   * do not hold up the start for longer than one does: the round then goes on behind it.
   */
  async start(): Promise<void> {
    const first = this.#begin();
    let cancel = () => {};
    const patience = new Promise<void>((over) => {
      cancel = this.#options.clock.after(LOOK_LIMIT, over);
    });
    await Promise.race([first, patience]);
    cancel();
  }

  #begin(): Promise<void> {
    this.#under = this.round().finally(() => {
      this.#under = undefined;
      this.#arm();
    });
    return this.#under;
  }

  #arm(): void {
    if (this.#stopped) return;
    this.#cancel = this.#options.clock.after(this.#interval, () => void this.#begin());
  }

  /** Looks once an interval from now on. */
  pace(interval: Millis): void {
    if (interval === this.#interval) return;
    this.#interval = interval;
    this.#cancel();
    // A round that is under way sets the clock itself when it is over.
    if (this.#under === undefined) this.#arm();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#under;
    for (const { looking } of this.#agents.values()) for (const { reader } of looking) reader.close();
    this.#agents.clear();
  }

  /** These are the agents with signals from now on; readers of unchanged ones go on. */
  watch(agents: Iterable<Agent>): void {
    const gone = new Set(this.#agents.keys());
    for (const agent of agents) {
      if (agent.signals === undefined) continue;
      gone.delete(agent.id);
      const settings = JSON.stringify(agent.signals);
      const { resumedAt } = agent;
      const known = this.#agents.get(agent.id);
      if (known?.settings === settings) {
        known.stale ||= known.resumedAt !== resumedAt;
        known.resumedAt = resumedAt;
        continue;
      }
      this.#close(agent.id);
      const looking = this.#options.open(agent).map((reader) => ({ reader, busy: false, degraded: false }));
      this.#agents.set(agent.id, { settings, looking, resumedAt, stale: false });
    }
    for (const id of gone) this.#close(id);
  }

  /** The readers of an agent, for whoever wants to see what they see. */
  readers(agent: string): readonly SignalReader[] {
    return this.#agents.get(agent)?.looking.map(({ reader }) => reader) ?? [];
  }

  /** Looks at one agent now, between the rounds; resolves when what was found is judged. */
  async look(agent: string): Promise<void> {
    const looking = this.#agents.get(agent)?.looking ?? [];
    const now = this.#options.clock.wall();
    const limits = new LookLimits(this.#options.clock);
    const facts: Observation[] = [];
    for (const each of looking) facts.push(...(await look(each, now, true, limits)));
    limits.close();
    if (facts.length === 0 || this.#stopped) return;
    await this.#options.notice([{ agent, facts, memories: memoriesOf(looking) }]);
  }

  #close(id: string): void {
    for (const { reader } of this.#agents.get(id)?.looking ?? []) reader.close();
    this.#agents.delete(id);
  }

  async round(): Promise<void> {
    const now = this.#options.clock.wall();
    const blindUntil = this.#options.blindUntil();
    // Another one than before: where the clock was set back, it may lie before the last round.
    const fresh = blindUntil !== this.#blindUntil;
    this.#blindUntil = blindUntil;
    const found: SignalFindings[] = [...(this.#options.also?.(now) ?? [])];
    const waiting = await this.#worthALook(now, fresh);
    const limits = new LookLimits(this.#options.clock);
    const worker = async (): Promise<void> => {
      while (!this.#stopped) {
        const next = waiting.pop();
        if (next === undefined) return;
        const facts: Observation[] = [];
        for (const each of next.looking) facts.push(...(await look(each, now, next.fresh, limits)));
        const { agent, all } = next;
        if (facts.length > 0) found.push({ agent, facts, memories: memoriesOf(all) });
      }
    };
    await Promise.all(Array.from({ length: Math.min(PARALLEL, waiting.length) }, worker));
    limits.close();
    // A store that cannot take it now is the watcher's matter; the next round brings it again.
    if (found.length > 0 && !this.#stopped) await this.#options.notice(found).catch(() => {});
  }

  /** Whoever may have something new to tell. Most have not, and a glance shows that. */
  async #worthALook(now: Instant, fresh: boolean): Promise<Waiting[]> {
    const waiting: Waiting[] = [];
    let glances = 0;
    for (const [agent, watched] of this.#agents) {
      const all = watched.looking;
      const afresh = fresh || watched.stale;
      const looking = afresh ? all : restless(all, now);
      if (looking.length > 0) waiting.push({ agent, looking, all, fresh: afresh });
      watched.stale = false;
      glances += 1;
      if (glances % SLICE === 0) await new Promise<void>((done) => this.#options.clock.soon(done));
    }
    return waiting;
  }
}

/** An agent that must be looked at: by which of all its readers. */
interface Waiting {
  readonly agent: string;
  readonly looking: readonly Looking[];
  readonly all: readonly Looking[];
  readonly fresh: boolean;
}

const NOBODY: readonly Looking[] = [];

/** Those that a look may find something new with. */
function restless(all: readonly Looking[], now: Instant): readonly Looking[] {
  let found: Looking[] | undefined;
  for (const each of all) {
    if (isQuiet(each, now)) continue;
    found ??= [];
    found.push(each);
  }
  return found ?? NOBODY;
}

/** Its last look went well, and a glance shows that another would find nothing. */
function isQuiet({ reader, busy, degraded }: Looking, now: Instant): boolean {
  try {
    return !busy && !degraded && reader.glance?.(now) === true;
  } catch {
    // The look says what is wrong.
    return false;
  }
}

async function look(
  each: Looking,
  now: Instant,
  fresh: boolean,
  limits: LookLimits,
): Promise<readonly Observation[]> {
  // The look of an earlier round still hangs: it has been told, and another would hang as well.
  if (each.busy) return [];
  each.busy = true;
  // Most looks have ended before anybody asks whether they are to be given up.
  let abort: AbortController | undefined;
  const controller = () => (abort ??= new AbortController());
  const looking = each.reader
    .look({
      now,
      get abort() {
        return controller().signal;
      },
      fresh: fresh || each.degraded,
    })
    .catch((error: unknown) => [degraded(each, now, error instanceof Error ? error.message : String(error))])
    .finally(() => {
      each.busy = false;
    });
  const came = await limits.within(looking);
  if (came === "over") controller().abort();
  const facts =
    came === "over" ? [degraded(each, now, `did not answer within ${sayDuration(LOOK_LIMIT)}`)] : came;
  each.degraded = facts.some(({ kind }) => kind === "degraded");
  return facts;
}

/** Gives up looks that take too long. All have the same limit, so the first that began is the first to be over: one timer. */
class LookLimits {
  readonly #clock: Clock;
  /** What is under way, oldest first, each with the moment at which it is over. */
  readonly #underWay = new Map<() => void, Millis>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  within<T>(work: Promise<T>): Promise<T | "over"> {
    return new Promise((done, failed) => {
      const giveUp = () => done("over");
      this.#underWay.set(giveUp, this.#clock.monotonic() + LOOK_LIMIT);
      if (this.#cancel === undefined) this.#arm(LOOK_LIMIT);
      const ended = () => this.#underWay.delete(giveUp);
      work.finally(ended).then(done, failed);
    });
  }

  close(): void {
    this.#cancel?.();
  }

  #arm(delay: Millis): void {
    this.#cancel = this.#clock.after(delay, () => {
      this.#cancel = undefined;
      const now = this.#clock.monotonic();
      for (const [giveUp, over] of this.#underWay) {
        if (over > now) {
          this.#arm(over - now);
          return;
        }
        this.#underWay.delete(giveUp);
        giveUp();
      }
    });
  }
}

function degraded({ reader }: Looking, at: Instant, problem: string): Observation {
  return { kind: "degraded", signal: reader.signal, at, problem };
}

function memoriesOf(looking: readonly Looking[]): Record<string, unknown> {
  const memories: Record<string, unknown> = {};
  for (const { reader } of looking) {
    const memory = reader.memory?.();
    if (memory !== undefined) memories[reader.signal] = memory;
  }
  return memories;
}
