import type { Beat } from "../core/beat.ts";
import { type Millis, SECOND } from "../core/duration.ts";
import type { Clock } from "../ports/clock.ts";
import type { Inbox, InboxRow } from "../ports/inbox.ts";
import type { Log } from "../ports/log.ts";
import type { StoredRecord } from "../ports/repositories.ts";
import type { Store } from "../ports/store.ts";
import { RollError } from "../watch/intent.ts";
import type { Watcher } from "../watch/watcher.ts";
import type { Hub } from "./hub.ts";

/** How often it looks. An owner that has not heard everything within `behind` does not judge. */
const PACE = { look: 100, behind: SECOND } as const;
/** After an error. */
const REST: Millis = 500;
const SLICE = 64;

export interface InboxReaderDeps {
  readonly inbox: Inbox;
  readonly hub: Pick<Hub, "hear" | "marked">;
  readonly watcher: Pick<Watcher, "accept" | "notice" | "persist" | "reader">;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Pick<Store, "records">;
  /** A simulation looks less often. */
  readonly pace?: { readonly look: Millis; readonly behind: Millis };
}

/**
 * Hears what other hubs took for the owner. The number up to which it has heard is committed with the beats, and after the
 * reports, of which each counts once by its own number. So after a crash some may be heard again, and none is missed.
 */
export class InboxReader {
  readonly #deps: InboxReaderDeps;
  #id = "";
  #heard = 0;
  /** When the last look began after which nothing was left. */
  #completeAt: Millis = Number.NEGATIVE_INFINITY;
  #line: Promise<void> = Promise.resolve();
  #cancel: () => void = () => {};
  #isOver = false;

  constructor(deps: InboxReaderDeps) {
    this.#deps = deps;
  }

  get #pace(): NonNullable<InboxReaderDeps["pace"]> {
    return this.#deps.pace ?? PACE;
  }

  get isBehind(): boolean {
    return this.#deps.clock.monotonic() - this.#completeAt > this.#pace.behind;
  }

  /** Hears all that is there now, and goes on. */
  async begin(): Promise<void> {
    const { inbox, store } = this.#deps;
    this.#id = await inbox.id();
    this.#heard = (await store.records.one("inbox", this.#id))?.body.number ?? 0;
    await this.catchUp();
    this.#again(this.#pace.look);
  }

  catchUp(): Promise<void> {
    const done = this.#line.then(() => this.#readAll());
    this.#line = done.catch(() => {});
    return done;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#cancel();
    await this.#line;
  }

  #again(delay: Millis): void {
    if (this.#isOver) return;
    this.#cancel = this.#deps.clock.after(delay, () => {
      this.catchUp().then(
        () => this.#again(this.#pace.look),
        () => this.#again(REST),
      );
    });
  }

  async #readAll(): Promise<void> {
    const { inbox, clock } = this.#deps;
    while (!this.#isOver) {
      const began = clock.monotonic();
      const rows = await inbox.after(this.#heard, SLICE);
      if (rows.length > 0) await this.#hear(rows);
      if (rows.length === SLICE) continue;
      this.#completeAt = began;
      return;
    }
  }

  async #hear(rows: readonly InboxRow[]): Promise<void> {
    const { inbox, hub, watcher, clock } = this.#deps;
    const wall = clock.wall();
    const beats = rows.flatMap((row) => row.beats.map((beat) => ({ ...beat, receivedAt: wall - row.age })));
    const known: Beat[] = [];
    for (const beat of beats) {
      if (this.#isOurs(beat.agent)) known.push(beat);
      else await this.#accept(beat);
    }
    await this.#report(rows);
    const marks = rows.flatMap((row) => row.marks.map((mark) => ({ ...mark, ago: mark.ago + row.age })));
    const number = rows.at(-1)?.number ?? this.#heard;
    // Asked for together, so that the number is committed with them or after them.
    const accepted = known.length === 0 ? undefined : watcher.accept(known);
    const noticed = marks.length === 0 ? undefined : watcher.notice(hub.marked(marks));
    const stored = watcher.persist({ records: [recordOf(this.#id, number)] });
    const [refused] = await Promise.all([accepted?.catch(orRollError), noticed, stored]);
    // Somebody was removed at this very moment.
    if (refused !== undefined) for (const beat of known) await this.#accept(beat);
    this.#heard = number;
    await inbox.done(number);
  }

  #isOurs(agent: string): boolean {
    const place = this.#deps.watcher.reader.place(agent);
    return place !== undefined && place.agent.host === undefined;
  }

  /** A beat of somebody who is not on the roll any more. */
  async #accept(beat: Beat): Promise<void> {
    const refused = await this.#deps.watcher.accept([beat]).catch(orRollError);
    if (refused !== undefined)
      this.#deps.log.warn({ agent: beat.agent, problem: refused.message }, "a beat came too late");
  }

  async #report(rows: readonly InboxRow[]): Promise<void> {
    const { inbox, hub } = this.#deps;
    const missing: string[] = [];
    const heard = rows.flatMap(({ batches, age }) =>
      batches.map(async (batch) => {
        if (!(await hub.hear(batch, age))) missing.push(batch.host);
      }),
    );
    await Promise.all(heard);
    if (missing.length > 0) await inbox.forget(missing);
  }
}

function orRollError(error: unknown): RollError {
  if (error instanceof RollError) return error;
  throw error;
}

function recordOf(id: string, number: number): StoredRecord<"inbox"> {
  return { kind: "inbox", id, at: 0, about: "", current: true, body: { number } };
}
