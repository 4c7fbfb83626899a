import type { Beat } from "../core/beat.ts";
import { type Millis, SECOND } from "../core/duration.ts";
import type { HostBatch, HubAnswer } from "../core/host/batch.ts";
import type { Clock } from "../ports/clock.ts";
import type { HostMark, HostNumber, Inbox, StoredHost } from "../ports/inbox.ts";

/** Signs of life of hosts are put into the inbox this often. */
const MARKS_EVERY: Millis = 2 * SECOND;
/** How much one commit takes. */
const SLICE = 512;
/** After an error everything goes to the owner for so long. */
const REST: Millis = 2 * SECOND;

/** A host whose batches we take, as the owner last told of it. */
interface TakenHost extends HostNumber {
  readonly boot: string;
  readonly version: string;
}

interface Waiting<T, Kept> {
  readonly what: T;
  readonly done: (kept: Kept | undefined) => void;
  readonly failed: (error: unknown) => void;
}

interface MarkHere extends Omit<HostMark, "ago"> {
  readonly at: Millis;
}

/**
 * Takes beats and reports of hosts on a hub that does not own the store, once the owner has let their senders in. What it
 * takes is durable in the inbox before it is answered. Everything that is not plain goes to the owner: undefined says so.
 */
export class Intake {
  readonly #inbox: Inbox;
  readonly #clock: Clock;
  readonly #hosts = new Map<string, TakenHost>();
  #access: number | undefined;
  #beats: Waiting<readonly Beat[], true>[] = [];
  #batches: Waiting<HostBatch, true>[] = [];
  readonly #marks = new Map<string, MarkHere>();
  readonly #learnt = new Map<string, { readonly taken: TakenHost; readonly done: () => void }>();
  #isBusy = false;
  #wellAt: Millis = Number.NEGATIVE_INFINITY;
  #marksComeAt: Millis | undefined;
  /** Called when the owner must say anew who may send. */
  onAccess: () => void = () => {};

  constructor(inbox: Inbox, clock: Clock) {
    this.#inbox = inbox;
    this.#clock = clock;
  }

  get isWell(): boolean {
    return this.#clock.monotonic() >= this.#wellAt;
  }

  accept(beats: readonly Beat[]): Promise<true | undefined> {
    if (!this.isWell) return Promise.resolve(undefined);
    return new Promise((done, failed) => {
      this.#beats.push({ what: beats, done, failed });
      this.#pump();
    });
  }

  async receive(batch: HostBatch): Promise<HubAnswer | undefined> {
    const known = this.#hosts.get(batch.host);
    const { spool, boot, version, from, facts, results, bye, upTo = from } = batch;
    if (known === undefined || !this.isWell || results !== undefined || bye !== undefined) return undefined;
    if (known.spool !== spool || known.boot !== boot || known.version !== version || known.acked !== from)
      return undefined;
    const { wall } = batch.clock;
    if (facts.length > 0 || upTo !== from) {
      const kept = await new Promise<true | undefined>((done, failed) => {
        this.#batches.push({ what: batch, done, failed });
        this.#pump();
      });
      if (kept === undefined) {
        this.#hosts.delete(batch.host);
        return undefined;
      }
      this.#hosts.set(batch.host, { ...known, acked: upTo });
    } else {
      const { host, backlog } = batch;
      this.#marks.set(host, { host, wall, backlog, at: this.#clock.monotonic() });
      this.#marksCome();
    }
    return { acked: upTo, commands: [] };
  }

  /** The owner has taken a batch of this host, and wants nothing of it. Resolves when that is known here. */
  learn({ host, spool, boot, version }: Omit<TakenHost, "acked">, acked: number): Promise<void> {
    return new Promise((done) => {
      this.#learnt.get(host)?.done();
      this.#learnt.set(host, { taken: { host, spool, boot, version, acked }, done });
      this.#pump();
    });
  }

  /** What is stored of a host that nobody has told us of, while no owner can be asked. */
  async find(token: string): Promise<StoredHost | undefined> {
    if (!this.isWell) return undefined;
    this.#access ??= await this.#inbox.access();
    const access = this.#access;
    const found = await this.#inbox.hostOf(token);
    // What was revoked after we looked has changed it, and then nothing is kept.
    return access === this.#access ? found : undefined;
  }

  #marksCome(): void {
    if (this.#marksComeAt !== undefined) return;
    this.#marksComeAt = this.#clock.monotonic() + MARKS_EVERY;
    this.#clock.after(MARKS_EVERY, () => {
      this.#marksComeAt = undefined;
      this.#pump(true);
    });
  }

  #pump(withMarks = false): void {
    if (this.#isBusy) {
      if (withMarks) this.#marksCome();
      return;
    }
    this.#isBusy = true;
    // Not at once: what arrives together is committed together.
    this.#clock.soon(() => void this.#putAll(withMarks));
  }

  async #putAll(withMarks: boolean): Promise<void> {
    let marks = withMarks;
    try {
      while (marks || this.#beats.length + this.#batches.length + this.#learnt.size > 0) {
        await this.#put(marks);
        marks = false;
      }
    } catch (error) {
      this.#wellAt = this.#clock.monotonic() + REST;
      for (const { failed } of [...this.#beats.splice(0), ...this.#batches.splice(0)]) failed(error);
      for (const { done } of this.#learnt.values()) done();
      this.#learnt.clear();
    } finally {
      this.#isBusy = false;
    }
  }

  async #put(withMarks: boolean): Promise<void> {
    const beats = this.#beats.splice(0, SLICE);
    const batches = this.#nextBatches();
    const learning = [...this.#learnt.values()].filter(
      ({ taken }) => !batches.some(({ what }) => what.host === taken.host),
    );
    const learnt = learning.map(({ taken }) => taken);
    for (const { host } of learnt) this.#learnt.delete(host);
    const now = this.#clock.monotonic();
    const marks = withMarks ? [...this.#marks.values()] : [];
    if (withMarks) this.#marks.clear();
    try {
      this.#access ??= await this.#inbox.access();
      const kept = await this.#inbox.put({
        access: this.#access,
        beats: beats.flatMap(({ what }) => what),
        batches: batches.map(({ what }) => what),
        marks: marks.map(({ at, ...mark }) => ({ ...mark, ago: now - at })),
        learnt: learnt.map(({ host, spool, acked }) => ({ host, spool, acked })),
      });
      if (kept === undefined) {
        this.#access = undefined;
        this.#hosts.clear();
        this.onAccess();
      }
      for (const { done } of beats) done(kept && true);
      for (const { what, done } of batches) done(kept?.has(what.host) === true ? true : undefined);
      if (kept !== undefined) for (const host of learnt) this.#hosts.set(host.host, host);
      if (marks.length > 0) await this.#forgetStale(marks);
    } catch (error) {
      for (const { failed } of [...beats, ...batches]) failed(error);
      throw error;
    } finally {
      for (const { done } of learning) done();
    }
  }

  /** One batch of each host: the next ones begin where it ends. */
  #nextBatches(): readonly Waiting<HostBatch, true>[] {
    const taken = new Map<string, Waiting<HostBatch, true>>();
    const later: Waiting<HostBatch, true>[] = [];
    for (const each of this.#batches) {
      if (taken.size === SLICE || taken.has(each.what.host)) later.push(each);
      else taken.set(each.what.host, each);
    }
    this.#batches = later;
    return [...taken.values()];
  }

  /** The owner wants to hear some hosts itself, or a fail-over of the database has lost what they told. */
  async #forgetStale(marks: readonly MarkHere[]): Promise<void> {
    const known = new Map(
      marks.flatMap(({ host }) => {
        const found = this.#hosts.get(host);
        return found === undefined ? [] : [[host, found] as const];
      }),
    );
    for (const host of await this.#inbox.stale([...known.values()])) {
      // It may have told more meanwhile.
      if (known.get(host) === this.#hosts.get(host)) this.#hosts.delete(host);
    }
  }
}
