import { type Batch, merged, nextBatch, nextDue, overBeforeTold } from "../core/delivery/batch.ts";
import { type Delivery, isUnderWay } from "../core/delivery/delivery.ts";
import type { Receipt } from "../core/delivery/receipt.ts";
import { ATTEMPT, afterAttempt } from "../core/delivery/retry.ts";
import { type FailingPlace, failingOf } from "../core/delivery/told.ts";
import { type Instant, MINUTE, type Millis, SECOND } from "../core/duration.ts";
import type { Channel } from "../ports/channel.ts";
import { type Clock, pause } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

/** While the store takes nothing, nothing is sent: it is asked again after so long, at first and at most. */
const STORE_AGAIN: Millis = SECOND;
const STORE_RARELY: Millis = 30 * SECOND;

/** So long an attempt may still take when we stop. If it were cut short, what arrived might be sent a second time. */
const LAST_MOMENT: Millis = 2 * SECOND;

export interface CourierOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly persist: (deliveries: readonly Delivery[]) => Promise<void>;
  readonly channel: (name: string) => Channel | undefined;
  /** A delivery that was never attempted, in the words of now. */
  readonly restated?: (delivery: Delivery) => Delivery;
  /** Whether a delivery waits, because its agent was muted after it was queued. */
  readonly isWithheld?: (delivery: Delivery) => boolean;
  /** The earlier messages about the incident whose end this is, as the channel calls them. */
  readonly earlier?: (delivery: Delivery) => Promise<readonly string[]>;
  /** How long an attempt may take. */
  readonly timeout?: () => Millis;
}

/** What is under way to one place. */
interface Line {
  readonly deliveries: Map<string, Delivery>;
  /** The newest that was sent, refused or given up. */
  ended?: Delivery;
  busy: boolean;
  /** What waits because an attempt failed is to be tried at once. */
  again: boolean;
  cancel: () => void;
}

/**
 * The outbox at work: what is committed is claimed, sent and receipted, place by place, so that one that is down delays
 * only itself. Claims are committed before anything is sent, and receipts after: a crash in between repeats the same
 * message under the same key, and never loses one.
 */
export class Courier {
  readonly #options: CourierOptions;
  readonly #lines = new Map<string, Line>();
  readonly #abort = new AbortController();
  readonly #attempts = new Set<AbortController>();
  readonly #under = new Set<Promise<unknown>>();
  #started = false;
  #storeAgain = STORE_AGAIN;

  constructor(options: CourierOptions, deliveries: readonly Delivery[]) {
    this.#options = options;
    this.note(deliveries);
  }

  start(): void {
    this.#started = true;
    this.lookAgain();
  }

  /** What was withheld may be free now. */
  lookAgain(): void {
    for (const place of this.#lines.keys()) this.#look(place);
  }

  /** Attempts that are under way have a moment to end; those that take longer are made again by the next courier. */
  async stop(): Promise<void> {
    this.#started = false;
    this.#abort.abort();
    for (const line of this.#lines.values()) line.cancel();
    const cancel = this.#options.clock.after(LAST_MOMENT, () => {
      for (const attempt of this.#attempts) attempt.abort();
    });
    await Promise.all(this.#under);
    cancel();
  }

  /** Takes up what has been committed. */
  note(deliveries: readonly Delivery[]): void {
    if (deliveries.length === 0) return;
    const touched = new Set<string>();
    for (const delivery of deliveries) {
      const { key, to, state, endedAt = 0 } = delivery;
      const line = this.#line(to);
      if (isUnderWay(delivery)) line.deliveries.set(key, delivery);
      else {
        line.deliveries.delete(key);
        if (state !== "superseded" && endedAt >= (line.ended?.endedAt ?? 0)) line.ended = delivery;
      }
      touched.add(to);
    }
    for (const place of touched) this.#look(place);
  }

  /** The settings of these places changed: what could not be sent there is tried at once. */
  retry(places: Iterable<string>): void {
    for (const place of places) {
      const line = this.#lines.get(place);
      if (line === undefined) continue;
      line.again = true;
      this.#look(place);
    }
  }

  /** The places that nothing reaches at the moment. */
  failing(): readonly FailingPlace[] {
    return [...this.#lines].flatMap(([place, { deliveries, ended }]) => {
      const known = [...deliveries.values(), ...(ended === undefined ? [] : [ended])];
      return failingOf(place, known) ?? [];
    });
  }

  #line(place: string): Line {
    let line = this.#lines.get(place);
    if (line === undefined) {
      line = { deliveries: new Map(), busy: false, again: false, cancel: () => {} };
      this.#lines.set(place, line);
    }
    return line;
  }

  /** Does what is due for a place, or sets the clock for when something is. */
  #look(place: string): void {
    const line = this.#line(place);
    if (!this.#started || line.busy) return;
    line.cancel();
    const { clock } = this.#options;
    const now = clock.wall();
    const open = [...line.deliveries.values()];
    const over = overBeforeTold(open, now);
    const free = open.filter((each) => !this.#options.isWithheld?.(each));
    const changed = over.length > 0 ? over : dueNow(line, free, now);
    const batch = changed.length > 0 ? undefined : nextBatch(free, now);
    if (changed.length === 0 && batch === undefined) {
      // What is withheld is asked about again, because quiet hours and maintenance windows end by themselves.
      const wait = (free.length < open.length ? Math.min(nextDue(free), now + MINUTE) : nextDue(open)) - now;
      if (Number.isFinite(wait)) line.cancel = clock.after(clamp(wait), () => this.#look(place));
      return;
    }
    line.busy = true;
    const work: Promise<unknown> = batch === undefined ? this.#persist(changed) : this.#deliver(place, batch);
    const ended = work.finally(() => {
      line.busy = false;
      this.#under.delete(ended);
      this.#look(place);
    });
    this.#under.add(ended);
  }

  async #deliver(place: string, batch: Batch): Promise<void> {
    const { log, clock, restated } = this.#options;
    const claimed = batch.deliveries.map((each): Delivery => {
      // What was claimed before says the same again: it may have arrived.
      const said = each.batch === undefined ? (restated?.(each) ?? each) : each;
      return { ...said, state: "sending", batch: batch.key };
    });
    if (!(await this.#persist(claimed))) return;
    const receipt = await this.#attempt(place, { key: batch.key, deliveries: claimed });
    if (this.#abort.signal.aborted && receipt.outcome !== "sent") return;
    const now = clock.wall();
    const after = claimed.map((each) => afterAttempt(each, receipt, now));
    const facts = { to: place, key: batch.key, messages: claimed.length, ...receipt };
    if (receipt.outcome === "sent") log.info(facts, "delivered");
    else log.warn(facts, receipt.outcome === "retry" ? "not delivered yet" : "refused for good");
    // It has been sent: that must be stored, however long the store takes. Sending again would be the lesser evil only
    // after a crash.
    while (!(await this.#persist(after))) if (this.#abort.signal.aborted) return;
  }

  async #attempt(place: string, batch: Batch): Promise<Receipt> {
    const channel = this.#options.channel(place);
    if (channel === undefined)
      return { outcome: "refused", problem: `there is no channel "${place}" in the config` };
    const { clock, timeout } = this.#options;
    const own = new AbortController();
    this.#attempts.add(own);
    const cancel = clock.after(timeout?.() ?? ATTEMPT, () => own.abort());
    const [first, second] = batch.deliveries;
    const isEnd = first?.says === "resolved" && second === undefined;
    try {
      const earlier = isEnd ? await this.#options.earlier?.(first) : undefined;
      return await channel.send({
        ...(earlier === undefined || earlier.length === 0 ? {} : { earlier }),
        key: batch.key,
        message: merged(batch),
        at: first?.createdAt ?? clock.wall(),
        attempt: (first?.attempts ?? 0) + 1,
        abort: own.signal,
      });
    } catch (error) {
      // A channel should not throw; one that does is no reason to lose a message.
      return { outcome: "retry", problem: error instanceof Error ? error.message : String(error) };
    } finally {
      cancel();
      this.#attempts.delete(own);
    }
  }

  /** Whether it is on disk. If not, some time has passed. */
  async #persist(deliveries: readonly Delivery[]): Promise<boolean> {
    try {
      await this.#options.persist(deliveries);
      this.#storeAgain = STORE_AGAIN;
      return true;
    } catch {
      // What the store has not taken is the watcher's matter, which says so.
      await pause(this.#storeAgain, this.#options.clock, this.#abort.signal);
      this.#storeAgain = Math.min(2 * this.#storeAgain, STORE_RARELY);
      return false;
    }
  }
}

function dueNow(line: Line, open: readonly Delivery[], now: Instant): readonly Delivery[] {
  if (!line.again) return [];
  line.again = false;
  return open
    .filter(({ state, attempts, dueAt }) => state === "pending" && attempts > 0 && dueAt > now)
    .map((each) => ({ ...each, dueAt: now }));
}

function clamp(wait: Millis): Millis {
  return Math.min(MINUTE, Math.max(1, wait));
}
