import type { Agent } from "../core/agent.ts";
import type { Beat } from "../core/beat.ts";
import type { Delivery } from "../core/delivery/delivery.ts";
import { type Instant, type Millis, SECOND } from "../core/duration.ts";
import type { Policy } from "../core/incident/policy.ts";
import type { Trust } from "../core/liveness/trust.ts";
import { NEWCOMER_LIMITS } from "../core/newcomer-limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import {
  type Changes,
  type Persistable,
  type Snapshot,
  type Store,
  StoreError,
  type WatchMark,
} from "../ports/store.ts";
import { DeskDraft } from "./desk-draft.ts";
import { DirtyEntries } from "./dirty-entries.ts";
import { addTo, type Decided, Draft, JUDGED } from "./draft.ts";
import { GroupNorms } from "./group-norms.ts";
import { type IncidentCommand, IncidentDesk } from "./incident-desk.ts";
import type { FleetPolicy, HostReport, SignalFindings } from "./intent.ts";
import { Newcomers } from "./newcomers.ts";
import type { Outbox } from "./outbox.ts";
import { Queue, type Waiting } from "./queue.ts";
import { RollReader } from "./reader.ts";
import { placesOf, Roll } from "./roll.ts";
import type { RollPlace } from "./roll-place.ts";
import { outageSince } from "./self-trust.ts";
import { SelfWatch } from "./self-watch.ts";

/** Machines suspend and clocks are set: the loop never sleeps longer than this. */
const LONGEST_SLEEP: Millis = SECOND;
/** How often the watcher's own sign of life is saved when nothing else is. */
const MARK_EVERY: Millis = 10 * SECOND;

export interface WatcherOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined for a command that changes the roll and does not watch: it leaves no sign of life. */
  readonly bootId?: string;
  readonly host?: string;
  /** How long it sleeps at most and how often it saves its sign of life; a simulation sleeps longer. */
  readonly pace?: { readonly sleep: Millis; readonly mark: Millis };
}

/**
 * Hears what was committed, and whose entries that changed. A commit also writes entries that earlier ones changed: only
 * the second argument tells them apart.
 */
export type CommitListener = (changes: Changes, changed: readonly string[]) => void;

/**
 * The loop. Beats, operators' commands and passed deadlines wait in one line; each turn takes all that wait, decides
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
  readonly #pace: { readonly sleep: Millis; readonly mark: Millis };
  readonly #roll = new Roll();
  readonly #newcomers: Newcomers;
  #norms = new GroupNorms([]);
  #desk = new IncidentDesk({ incidents: [], records: [] });
  readonly #dirty: DirtyEntries;
  readonly #listeners = new Set<CommitListener>();
  #number = 0;
  readonly #queue: Queue;
  /** Set while this host reports to a hub: what the hub must be told of a commit goes into it. */
  outbox: Outbox | undefined;
  /** Whether there may be beats that were taken for us and that we have not heard: then nobody is judged by silence. */
  isBehind: () => boolean = () => false;
  /** What readers ask. */
  readonly reader: RollReader;
  #due = new Set<string>();
  #ticks = 0;
  readonly #selfWatch: SelfWatch;
  #watching = false;
  #stopping = false;
  /** Another process has taken the store over: nothing that we decide can be kept any more. */
  #isReplaced = false;
  #markedAt: Millis = 0;
  #cancelTimer: () => void = () => {};
  /** The reading of the monotonic clock at which the next tick is due. */
  #wakeAt: Millis = Number.POSITIVE_INFINITY;

  private constructor(options: WatcherOptions, policy: FleetPolicy) {
    this.#options = options;
    this.#policy = policy;
    this.#clock = options.clock;
    this.#newcomers = new Newcomers(() => options.clock.monotonic());
    this.#pace = options.pace ?? { sleep: LONGEST_SLEEP, mark: MARK_EVERY };
    this.#selfWatch = new SelfWatch(options.clock, options.log, () => {
      this.#roll.allDue();
      this.#desk.allDue();
    });
    this.#dirty = new DirtyEntries(this.#clock, this.#pace.mark);
    this.#queue = new Queue({
      clock: this.#clock,
      isDue: () => this.#isDue(),
      turn: (waiting) => this.#turn(waiting),
    });
    this.reader = new RollReader({
      roll: this.#roll,
      clock: this.#clock,
      trust: () => this.trust,
      normOf: (agent) => this.#norms.of(agent),
    });
  }

  /**
   * Loads what is known, unless the store has been asked already, and notes how long nobody watched. Beats are accepted, but
   * nobody is judged yet.
   */
  static async load(options: WatcherOptions, policy: FleetPolicy, loaded?: Snapshot): Promise<Watcher> {
    const watcher = new Watcher(options, policy);
    const snapshot = loaded ?? (await options.store.load());
    await watcher.#restore(snapshot);
    watcher.#adopt(policy);
    await watcher.configure(policy);
    const { mark } = snapshot;
    const isOwn = mark !== undefined && mark.takenOver === undefined;
    if (options.host !== undefined && isOwn && mark.bootId !== options.bootId) {
      await watcher.persist(watcher.#desk.rebooted(options.host, watcher.#clock.wall()));
    }
    return watcher;
  }

  /** Begins to judge. What waited for us (the spool, what can be looked at) should have been taken up by now. */
  watch(): void {
    // What passed since we loaded has not been watched either.
    this.#selfWatch.look(this.#wakeAt);
    this.#watching = true;
    for (const id of this.#roll.places.keys()) this.#due.add(id);
    this.#tick();
  }

  async #restore(snapshot: Snapshot): Promise<void> {
    const now = this.#clock.wall();
    const { bootId } = this.#options;
    const outage = bootId === undefined ? undefined : outageSince(snapshot.mark, this.#clock, bootId);
    this.#selfWatch.restore(snapshot.blind, outage);
    this.#norms = new GroupNorms(snapshot.records);
    this.#desk = new IncidentDesk(snapshot);
    this.#number = snapshot.number;
    for (const place of placesOf(snapshot).values()) this.#put(place);
    for (const beat of snapshot.unflushed) this.#dirty.add(beat.agent);
    this.#wakeAt = this.#clock.monotonic();
    if (bootId === undefined) return;
    this.#number = await this.#options.store.commit({
      blind: outage === undefined ? [] : [outage],
      mark: this.#mark(now),
    });
  }

  /** The number of the last commit. */
  get number(): number {
    return this.#number;
  }

  /** Whose entries are newer than the last commit. */
  get unwritten(): Iterable<string> {
    return this.#dirty.agents;
  }

  /**
   * Puts another policy in force: it declares these agents and no other ones. Resolves when it is committed; if it cannot
   * be, the old one stays in force.
   */
  configure(policy: FleetPolicy): Promise<void> {
    return this.#queue.add({ kind: "declare", policy });
  }

  #adopt(policy: FleetPolicy): void {
    this.#policy = policy;
    this.#newcomers.limits = policy.newcomers ?? NEWCOMER_LIMITS;
    if (policy.telling !== undefined) this.#desk.policy = policy.telling;
  }

  /** Accepts beats, all or none; resolves when they are on disk. */
  accept(beats: readonly Beat[]): Promise<void> {
    return this.#queue.add({ kind: "beats", beats });
  }

  /** Takes what the signals brought; resolves when it is judged and committed. */
  notice(found: readonly SignalFindings[]): Promise<void> {
    return this.#queue.add({ kind: "facts", found });
  }

  /** Takes what a host told; resolves when it is committed, with the host. */
  report(report: HostReport): Promise<void> {
    return this.#queue.add({ kind: "report", report });
  }

  add(agent: Agent): Promise<void> {
    return this.#queue.add({ kind: "add", agent });
  }

  remove(id: string): Promise<void> {
    return this.#queue.add({ kind: "remove", id });
  }

  pause(id: string): Promise<void> {
    return this.#queue.add({ kind: "pause", id });
  }

  resume(id: string): Promise<void> {
    return this.#queue.add({ kind: "resume", id });
  }

  /** Stores what others decided (runs, receipts, recoveries), in the same line as everything else. */
  persist(parts: Persistable): Promise<void> {
    const isEmpty = Object.values(parts).every((part: readonly unknown[]) => part.length === 0);
    return isEmpty ? Promise.resolve() : this.#queue.add({ kind: "persist", parts });
  }

  /** What an operator wants of an incident or of silences. */
  command(command: IncidentCommand): Promise<void> {
    return this.#queue.add({ kind: "command", command });
  }

  /** Incidents, and silences that have not ended. */
  get desk(): Pick<IncidentDesk, "incidents" | "silences" | "held"> {
    return this.#desk;
  }

  /** The policy in force, by which people are told. */
  get telling(): Policy {
    return this.#desk.policy;
  }

  /** Whether a delivery waits, because somebody muted its agent after it was queued. */
  isWithheld(delivery: Delivery): boolean {
    return this.#desk.held(delivery, this.#clock.wall()) !== undefined;
  }

  /** A delivery that was never attempted, in the words of now. */
  restated(delivery: Delivery): Delivery {
    return this.#desk.restated(delivery, this.#clock.wall());
  }

  /** Grows while the loop judges: with every turn that ends, and with every look at the clocks between turns. */
  get progress(): number {
    return this.#ticks + this.#queue.turns;
  }

  get trust(): Trust {
    return this.#selfWatch.trust;
  }

  /** Set while nothing can be stored: then nobody is judged, and no beat is accepted. */
  get blindSince(): Instant | undefined {
    return this.#selfWatch.blindSince?.at;
  }

  /** Calls after each commit with what it changed; the answer ends it. */
  onCommitted(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls when nothing can be stored any more, with why, and when it can again, with nothing. */
  onBlind(listener: (problem: string | undefined) => void): void {
    this.#selfWatch.onBlind(listener);
  }

  /** Calls with the reason when agents are refused because too many register themselves; then not again for long. */
  onCrowded(listener: (why: string) => void): void {
    this.#newcomers.onCrowded(listener);
  }

  /** Somebody else found that nothing can be stored: from now on we are blind, until a commit succeeds. */
  cannotStore(problem: Error): void {
    this.#selfWatch.couldNotStore(problem, this.#selfWatch.now());
    this.#markedAt = this.#clock.monotonic();
  }

  /** Takes nothing new, finishes what waits, saves its last sign of life. The store stays open. */
  async stop(): Promise<void> {
    // From now on nobody watches, however long the store keeps us from ending.
    const now = this.#clock.wall();
    // Our last sign of life must not hide a clock that was set since we last looked.
    if (this.#watching) this.#selfWatch.look(this.#wakeAt);
    this.#stopping = true;
    this.#cancelTimer();
    await this.#queue.close();
    if (this.#selfWatch.blindSince === undefined) {
      const last = { entries: [], cycles: [], flushed: true };
      this.#dirty.flush(last, (id) => this.#roll.places.get(id));
      await this.#options.store.commit({ ...last, blind: this.#selfWatch.unsaved, mark: this.#mark(now) });
    }
  }

  #tick(): void {
    if (this.#stopping) return;
    if (!this.#queue.isBusy) this.#ticks += 1;
    const paused = this.#selfWatch.look(this.#wakeAt);
    if (this.#selfWatch.isHanging(paused)) this.#markedAt = this.#clock.monotonic();
    const began = this.#clock.monotonic();
    const now = this.#clock.wall();
    const next = this.#roll.due(now, (id) => this.#due.add(id));
    // What is due at the desk already is done by the next turn, however long the store keeps us from it.
    const earliest = this.#desk.nextAt > now ? Math.min(next, this.#desk.nextAt) : next;
    // Scanning takes at most a tenth of our time, however densely deadlines pass.
    const rest = Math.max(1, 9 * (this.#clock.monotonic() - began));
    this.#arm(Math.max(rest, Math.min(this.#pace.sleep, earliest - now)));
    void this.#queue.pump();
  }

  #arm(delay: Millis): void {
    this.#cancelTimer();
    this.#wakeAt = this.#clock.monotonic() + delay;
    this.#cancelTimer = this.#clock.after(delay, () => this.#tick());
  }

  /** Whether there is something to do although nothing waits. */
  #isDue(): boolean {
    if (this.#stopping || !this.#watching || this.#isReplaced) return false;
    if (this.#selfWatch.blindSince !== undefined) return this.#markIsOld(this.#pace.sleep);
    if (this.#selfWatch.unsaved.length > 0) return true;
    if (this.isBehind()) return this.#dirty.isDue;
    return this.#due.size > 0 || this.#desk.nextAt <= this.#clock.wall() || this.#dirty.isDue;
  }

  #markIsOld(limit: Millis): boolean {
    return this.#clock.monotonic() - this.#markedAt >= limit;
  }

  async #turn(waiting: readonly Waiting[]): Promise<void> {
    if (this.#watching) this.#selfWatch.look(this.#wakeAt);
    const now = this.#clock.wall();
    const moment = this.#watching ? this.#selfWatch.seen : this.#selfWatch.now();
    const draft = new Draft(
      this.#roll.places,
      now,
      this.trust,
      this.#policy,
      (agent) => this.#norms.of(agent),
      this.#newcomers,
      this.#roll.unproven,
      (host) => this.#roll.ofHost(host),
    );
    const spans = this.#selfWatch.toSave();
    for (const span of spans) draft.take({ kind: "blind", span });
    const desk = new DeskDraft();
    const accepted: Waiting[] = [];
    for (const entry of waiting) {
      try {
        if (entry.intent.kind === "command") this.#desk.take(entry.intent.command, now, desk);
        else draft.take(entry.intent);
        if (entry.intent.kind === "report") this.#desk.hear(entry.intent.report, now, desk);
        accepted.push(entry);
      } catch (error) {
        entry.failed(error);
      }
    }
    const changes = this.#decide(draft, desk, now, moment.uptime);
    // What was seen and changed nothing that is written needs no commit: our sign of life is saved in its own time.
    const writes = changes.flushed === true || !isNothing(changes);
    const began = this.#selfWatch.commitBegins();
    try {
      if (writes) this.#number = await this.#options.store.commit(changes);
    } catch (error) {
      // Who was replaced ends quietly: the store is well, and another watches.
      if (isFenced(error)) this.#isReplaced = true;
      else this.#selfWatch.couldNotStore(error, moment);
      this.#markedAt = this.#clock.monotonic();
      for (const entry of accepted) entry.failed(error);
      return;
    } finally {
      this.#selfWatch.commitEnds();
    }
    this.#selfWatch.saved(spans);
    this.#apply(draft, desk, changes);
    if (writes) this.#selfWatch.stored(moment, began);
    // Told a moment later, so that the next commit is under way while the answers are written.
    for (const entry of accepted) entry.done();
  }

  /** Everything that this turn changes: the roll, what is normal, and what happens about it, as one. */
  #decide(draft: Draft, desk: DeskDraft, now: Instant, uptime: Millis): Decided {
    // While we cannot store we do not judge: what we cannot keep we must not decide.
    const judging = this.#watching && this.#selfWatch.blindSince === undefined && !this.isBehind();
    if (judging) {
      let left = JUDGED;
      for (const id of this.#due) {
        if (left-- === 0) break;
        this.#due.delete(id);
        draft.touch(id);
      }
    }
    const flushing = this.#dirty.isDue;
    const decided = draft.judgeAll(judging);
    const { flips, removed, deliveries, records } = decided;
    const find = (id: string) => draft.find(id);
    const places = () => this.#roll.places.values();
    records.push(...this.#norms.after(flips, find, now, this.trust));
    if (flushing) records.push(...this.#norms.daily(places(), now, this.trust));
    const policy = draft.policy.telling;
    addTo(
      decided,
      this.#desk.respond({ now, flips, removed, deliveries, judging, policy, find, places }, desk),
    );
    if (flushing) this.#dirty.flush(decided, find, draft.dirty);
    decided.outgoing.push(
      ...(this.outbox?.of(decided, find, this.#roll.places.keys(), this.#desk.incidents, now) ?? []),
    );
    if (flushing || !isNothing(decided)) decided.mark = this.#mark(now, uptime);
    return decided;
  }

  #apply(draft: Draft, desk: DeskDraft, changes: Changes): void {
    for (const id of changes.removed ?? []) this.#roll.drop(id);
    for (const place of draft.places()) {
      this.#put(place);
      if (!draft.isJudged(place.agent.id)) this.#due.add(place.agent.id);
    }
    if (draft.policy !== this.#policy) this.#adopt(draft.policy);
    this.#norms.apply(changes.records ?? []);
    this.#desk.apply(changes, desk);
    this.#dirty.committed(changes, draft.dirty);
    this.outbox?.committed(changes);
    const changed = draft.changed();
    for (const listener of this.#listeners) listener(changes, changed);
  }

  #mark(now: Instant, uptime = this.#clock.uptime()): WatchMark | undefined {
    this.#markedAt = this.#clock.monotonic();
    const { bootId } = this.#options;
    return bootId === undefined ? undefined : { at: now, uptime, bootId };
  }

  #put(place: RollPlace): void {
    const next = this.#roll.put(place);
    if (!this.#watching || this.#stopping) return;
    const delay = Math.max(1, next - this.#clock.wall());
    if (this.#clock.monotonic() + delay < this.#wakeAt) this.#arm(delay);
  }
}

function isFenced(error: unknown): boolean {
  return error instanceof StoreError && error.code === "fenced";
}

function isNothing(decided: Decided): boolean {
  for (const part in decided) {
    const list = decided[part as keyof Decided];
    if (Array.isArray(list) && list.length > 0) return false;
  }
  return true;
}
