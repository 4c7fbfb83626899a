import type { Agent, Rule } from "../core/agent.ts";
import type { Beat } from "../core/beat.ts";
import { type Instant, type Millis, SECOND } from "../core/duration.ts";
import type { BlindSpan, Trust } from "../core/liveness/trust.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Changes, Snapshot, Store, WatchMark } from "../ports/store.ts";
import { Deadlines } from "./deadlines.ts";
import { Draft, type Found, type Intent } from "./draft.ts";
import { type Place, verdictAt } from "./place.ts";
import { placesOf } from "./restore.ts";
import { outageSince, SelfTrust } from "./self-trust.ts";

/** Machines suspend and clocks are set: the loop never sleeps longer than this. */
const LONGEST_SLEEP: Millis = SECOND;
/** How often the watcher's own sign of life is saved when nothing else is. */
const MARK_EVERY: Millis = 10 * SECOND;
/** A commit that takes longer than this means that we could not store meanwhile. */
const SLOW_COMMIT: Millis = 2 * SECOND;
/** How much is taken into one step before it is committed and others get their turn. */
const SLICE = 1024;
/** Entries that are newer than what is written are written at once when there are so many, or so many beats of them. */
const UNSAVED = 1024;
const UNSETTLED_BEATS = 16_384;
/** How many spans that were not watched are remembered. */
const SPANS = 256;

export interface WatcherOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly bootId: string;
}

/** What the config says of the fleet; it can change while we watch. */
export interface FleetPolicy {
  readonly autoRegister: boolean;
  readonly defaultRule: Rule;
  /** The agents that are declared. */
  readonly agents: readonly Agent[];
}

/** Something that waits for the next commit, and who must be told how it went. */
interface Waiting {
  readonly intent: Intent;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * The loop. Beats, operators' wishes and passed deadlines wait in one line; each step takes all that wait, decides
 * on a draft, commits it, and only then makes it the truth and tells whoever waits. So what is acknowledged is
 * durable, what is shown is committed, and many waiting beats cost one transaction.
 *
 *   idle ──something waits or a deadline passes──▶ deciding ──▶ committing ──▶ idle
 *                                                                   └─failed─▶ blind ──a commit succeeds──▶ idle
 */
export class Watcher {
  readonly #options: WatcherOptions;
  #policy: FleetPolicy;
  readonly #clock: Clock;
  readonly #places = new Map<string, Place>();
  readonly #slots = new Map<string, number>();
  readonly #owners: (string | undefined)[] = [];
  readonly #deadlines = new Deadlines();
  readonly #listeners = new Set<(changes: Changes) => void>();
  #line: Waiting[] = [];
  #due = new Set<string>();
  #unsaved = new Set<string>();
  #unsettled = 0;
  #progress = 0;
  #blind: BlindSpan[] = [];
  #selfTrust: SelfTrust;
  #busy = false;
  #pumpComes = false;
  #watching = false;
  #stopping = false;
  #blindSince: Instant | undefined;
  #markedAt: Millis = 0;
  #cancelTimer: () => void = () => {};
  #planned: Millis = 0;
  #wakeAt: Instant = Number.POSITIVE_INFINITY;
  #idle: (() => void)[] = [];

  private constructor(options: WatcherOptions, policy: FleetPolicy) {
    this.#options = options;
    this.#policy = policy;
    this.#clock = options.clock;
    this.#selfTrust = new SelfTrust(options.clock);
  }

  /** Loads what is known and notes how long nobody watched. Beats are accepted, but nobody is judged yet. */
  static async load(options: WatcherOptions, policy: FleetPolicy): Promise<Watcher> {
    const watcher = new Watcher(options, policy);
    await watcher.#restore(await options.store.load());
    await watcher.configure(policy);
    return watcher;
  }

  /** Begins to judge. What waited for us (the spool, what can be looked at) should have been taken up by now. */
  watch(): void {
    this.#selfTrust = new SelfTrust(this.#clock);
    this.#watching = true;
    for (const id of this.#places.keys()) this.#due.add(id);
    this.#tick();
  }

  async #restore(snapshot: Snapshot): Promise<void> {
    const now = this.#clock.wall();
    const outage = outageSince(snapshot.mark, now);
    this.#blind = [...snapshot.blind];
    const blind = outage === undefined ? [] : [outage];
    this.#noteBlind(blind);
    for (const place of placesOf(snapshot, now).values()) this.#put(place);
    for (const beat of snapshot.unsettled) this.#unsaved.add(beat.agent);
    await this.#options.store.commit({ blind, mark: this.#mark(now) });
  }

  /** Puts another policy in force: it declares these agents and no other ones. Resolves when it is committed. */
  configure(policy: FleetPolicy): Promise<void> {
    this.#policy = policy;
    return this.#enqueue({ kind: "declare", agents: policy.agents });
  }

  /** Accepts beats, all or none; resolves when they are on disk. */
  accept(beats: readonly Beat[]): Promise<void> {
    return this.#enqueue({ kind: "beats", beats });
  }

  /** Takes what the signals brought; resolves when it is judged and committed. */
  notice(found: readonly Found[]): Promise<void> {
    return this.#enqueue({ kind: "facts", found });
  }

  add(agent: Agent): Promise<void> {
    return this.#enqueue({ kind: "add", agent });
  }

  remove(id: string): Promise<void> {
    return this.#enqueue({ kind: "remove", id });
  }

  pause(id: string): Promise<void> {
    return this.#enqueue({ kind: "pause", id });
  }

  resume(id: string): Promise<void> {
    return this.#enqueue({ kind: "resume", id });
  }

  /** Every place on the roll. The verdicts in it are those of the last change; `verdict` gives today's words. */
  places(): IterableIterator<Place> {
    return this.#places.values();
  }

  place(id: string): Place | undefined {
    return this.#places.get(id);
  }

  /** The verdict of this moment, for a reader. */
  verdict(place: Place) {
    return verdictAt(place, this.#clock.wall(), this.trust);
  }

  /** Grows while the loop judges: with every step that ends, and with every look at the clocks between steps. */
  get progress(): number {
    return this.#progress;
  }

  get trust(): Trust {
    return { blind: this.#blind };
  }

  /** Set while nothing can be stored: then nobody is judged, and no beat is accepted. */
  get blindSince(): Instant | undefined {
    return this.#blindSince;
  }

  /** Calls after each commit with what it changed; the answer ends it. */
  onCommitted(listener: (changes: Changes) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes nothing new, finishes what waits, saves its last sign of life. The store stays open. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#cancelTimer();
    if (this.#busy || this.#pumpComes) await new Promise<void>((done) => this.#idle.push(done));
    if (this.#blindSince === undefined) {
      const last = this.#settled({}, (id) => this.#places.get(id));
      await this.#options.store.commit({ ...last, mark: this.#mark(this.#clock.wall()) });
    }
  }

  #enqueue(intent: Intent): Promise<void> {
    if (this.#stopping) return Promise.reject(new Error("the watcher is stopping"));
    return new Promise((done, failed) => {
      this.#line.push({ intent, done, failed });
      this.#pumpSoon();
    });
  }

  #tick(): void {
    if (this.#stopping) return;
    if (!this.#busy) this.#progress += 1;
    const span = this.#selfTrust.look(this.#planned);
    if (span !== undefined) this.#wasBlind(span);
    const began = this.#clock.monotonic();
    const earliest = this.#deadlines.scan(this.#clock.wall(), (slot) => {
      const owner = this.#owners[slot];
      if (owner !== undefined) this.#due.add(owner);
    });
    // Scanning takes at most a tenth of our time, however densely deadlines pass.
    const rest = Math.max(1, 9 * (this.#clock.monotonic() - began));
    this.#arm(Math.max(rest, Math.min(LONGEST_SLEEP, earliest - this.#clock.wall())));
    void this.#pump();
  }

  #arm(delay: Millis): void {
    this.#cancelTimer();
    this.#planned = delay;
    this.#wakeAt = this.#clock.wall() + delay;
    this.#cancelTimer = this.#clock.after(delay, () => this.#tick());
  }

  #wasBlind(span: BlindSpan): void {
    this.#options.log.warn({ ...span }, `did not watch (${span.cause})`);
    this.#noteBlind([span]);
    this.#deadlines.all();
    this.#line.push({ intent: { kind: "blind", span }, done: () => {}, failed: () => {} });
  }

  #noteBlind(spans: readonly BlindSpan[]): void {
    this.#blind = [...this.#blind, ...spans].slice(-SPANS);
  }

  /** Not at once: what arrives together is committed together. */
  #pumpSoon(): void {
    if (this.#busy || this.#pumpComes) return;
    this.#pumpComes = true;
    this.#clock.soon(() => {
      this.#pumpComes = false;
      void this.#pump();
    });
  }

  /** One step after the other, as long as there is something to do. */
  async #pump(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#hasWork()) {
        await this.#step();
        this.#progress += 1;
      }
    } finally {
      this.#busy = false;
      for (const done of this.#idle.splice(0)) done();
    }
  }

  #hasWork(): boolean {
    if (this.#line.length > 0) return true;
    if (this.#stopping || !this.#watching) return false;
    if (this.#blindSince !== undefined) return this.#markIsOld(LONGEST_SLEEP);
    return this.#due.size > 0 || this.#mustSettle();
  }

  #mustSettle(): boolean {
    if (this.#unsaved.size >= UNSAVED || this.#unsettled >= UNSETTLED_BEATS) return true;
    return this.#markIsOld(MARK_EVERY);
  }

  #markIsOld(limit: Millis): boolean {
    return this.#clock.monotonic() - this.#markedAt >= limit;
  }

  async #step(): Promise<void> {
    const now = this.#clock.wall();
    const waiting = this.#line.splice(0, SLICE);
    const draft = new Draft(this.#places, now, this.trust, this.#policy);
    const accepted: Waiting[] = [];
    for (const entry of waiting) {
      try {
        draft.take(entry.intent);
        accepted.push(entry);
      } catch (error) {
        entry.failed(error);
      }
    }
    // While we cannot store we do not judge: what we cannot keep we must not decide.
    if (this.#watching && this.#blindSince === undefined) {
      for (const id of this.#due) {
        if (draft.size >= SLICE) break;
        this.#due.delete(id);
        draft.touch(id);
      }
    }
    const settling = this.#mustSettle();
    const decided = draft.judgeAll();
    const changes = {
      ...(settling ? this.#settled(decided, (id) => draft.find(id), draft.unsaved) : decided),
      mark: this.#mark(now),
    };
    const began = this.#clock.monotonic();
    try {
      await this.#options.store.commit(changes);
    } catch (error) {
      this.#couldNotStore(error, now);
      for (const entry of accepted) entry.failed(error);
      return;
    }
    this.#apply(draft, changes);
    this.#noteUnsaved(settling, draft.unsaved, changes.beats?.length ?? 0);
    if (this.#blindSince !== undefined) this.#canStoreAgain();
    else if (this.#clock.monotonic() - began > SLOW_COMMIT) this.#wasBlind(this.#since(now, "store"));
    // Told a moment later, so that the next commit is under way while the answers are written.
    for (const entry of accepted) entry.done();
  }

  /** The changes together with everything else that beats have changed since it was last written. */
  #settled(
    decided: Changes,
    find: (id: string) => Place | undefined,
    more: ReadonlySet<string> = new Set(),
  ): Changes {
    const entries = [...(decided.entries ?? [])];
    const cycles = [...(decided.cycles ?? [])];
    const written = new Set(entries.map(({ agent }) => agent));
    for (const id of new Set([...this.#unsaved, ...more])) {
      const place = find(id);
      if (place === undefined) continue;
      if (!written.has(id)) entries.push(place.entry);
      if (place.cycle !== undefined) cycles.push(place.cycle);
    }
    return { ...decided, entries, cycles, settled: true };
  }

  #noteUnsaved(settled: boolean, unsaved: ReadonlySet<string>, beats: number): void {
    if (settled) this.#unsaved.clear();
    else for (const id of unsaved) this.#unsaved.add(id);
    this.#unsettled = settled ? 0 : this.#unsettled + beats;
  }

  #apply(draft: Draft, changes: Changes): void {
    for (const id of changes.removed ?? []) this.#drop(id);
    for (const place of draft.places()) this.#put(place);
    for (const listener of this.#listeners) listener(changes);
  }

  #couldNotStore(error: unknown, now: Instant): void {
    if (this.#blindSince === undefined) {
      this.#blindSince = now;
      const problem = error instanceof Error ? error.message : String(error);
      this.#options.log.error({ problem }, "watcher blind: the store does not take commits");
    }
    this.#markedAt = this.#clock.monotonic();
  }

  #canStoreAgain(): void {
    const span = this.#since(this.#blindSince ?? this.#clock.wall(), "store");
    this.#blindSince = undefined;
    this.#wasBlind(span);
  }

  #since(from: Instant, cause: BlindSpan["cause"]): BlindSpan {
    const to = this.#clock.wall();
    return { from: Math.min(from, to), to, cause };
  }

  #mark(now: Instant): WatchMark {
    this.#markedAt = this.#clock.monotonic();
    return { at: now, uptime: this.#clock.uptime(), bootId: this.#options.bootId };
  }

  #put(place: Place): void {
    const { id } = place.agent;
    let slot = this.#slots.get(id);
    if (slot === undefined) {
      slot = this.#deadlines.take();
      this.#slots.set(id, slot);
      this.#owners[slot] = id;
    }
    this.#places.set(id, place);
    const { next } = place.entry.standing.verdict;
    this.#deadlines.set(slot, next);
    if (next < this.#wakeAt && this.#watching && !this.#stopping)
      this.#arm(Math.max(1, next - this.#clock.wall()));
  }

  #drop(id: string): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.#deadlines.release(slot);
    this.#owners[slot] = undefined;
    this.#slots.delete(id);
    this.#places.delete(id);
  }
}
