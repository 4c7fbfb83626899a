import type { Millis } from "../core/duration.ts";
import type { CommandRecord, CommandResult, HostCommand } from "../core/host/command.ts";
import { CONTACT_RULE } from "../core/host/host.ts";
import type { Clock } from "../ports/clock.ts";
import type { StoredRecord } from "../ports/repositories.ts";
import type { Persistable } from "../ports/store.ts";

/** What an operator asks of a host. */
export type Asked = Pick<CommandRecord, "host" | "name" | "target" | "by" | "step" | "answer" | "ttl">;

interface Waiting {
  readonly record: CommandRecord;
  /** When its time is over, on our monotonic clock. */
  readonly until: Millis;
  readonly done: (result: CommandResult) => void;
}

/** A host that somebody looks at is asked to wait for commands; this long after the last look. */
const WATCHED: Millis = 60_000;

/**
 * Commands to hosts. Each is on record before it is sent, goes out with every answer until its result comes back, and expires
 * on whichever side its time runs out first. A host does each number once, so sending it again does no harm.
 */
export class Commands {
  readonly #clock: Clock;
  readonly #persist: (parts: Persistable) => Promise<void>;
  readonly #waiting = new Map<string, Map<number, Waiting>>();
  readonly #numbers = new Map<string, number>();
  readonly #watched = new Map<string, Millis>();
  readonly #wakers = new Map<string, Set<() => void>>();
  readonly #wanted: (host: string) => void;
  readonly #isHeard: (host: string, since: Millis) => boolean;

  /**
   * `wanted`: somebody wants something of a host, so that its reports must come to us. `isHeard`: whether it was heard since a
   * reading of our monotonic clock.
   */
  constructor(
    clock: Clock,
    persist: (parts: Persistable) => Promise<void>,
    records: readonly StoredRecord[],
    wanted: (host: string) => void = () => {},
    isHeard: (host: string, since: Millis) => boolean = () => true,
  ) {
    this.#isHeard = isHeard;
    this.#wanted = wanted;
    this.#clock = clock;
    this.#persist = persist;
    // What was asked before this hub started has nobody who waits for it: its time is over.
    for (const record of records)
      if (record.kind === "command") this.#count(record.body.host, record.body.number);
  }

  async ask(asked: Asked): Promise<CommandResult> {
    // The clock numbers them too, so that numbers grow although old ones are forgotten.
    const number = Math.max((this.#numbers.get(asked.host) ?? 0) + 1, Math.trunc(this.#clock.wall()));
    this.#count(asked.host, number);
    this.#wanted(asked.host);
    const record: CommandRecord = { ...asked, number, askedAt: this.#clock.wall() };
    await this.#persist({ records: [recordOf(record)] });
    return new Promise((resolve) => {
      const end = (result: CommandResult) => {
        for (const cancel of cancels) cancel();
        this.#waiting.get(asked.host)?.delete(number);
        resolve(result);
      };
      const expire = () => {
        const says = `host "${asked.host}" did not take it in time`;
        const result: CommandResult = { number, end: "expired", says };
        this.#persist({
          records: [recordOf({ ...record, result: { ...result, at: this.#clock.wall() } })],
        }).catch(() => {});
        end(result);
      };
      const began = this.#clock.monotonic();
      // Nobody waits the whole time for a host that has just gone: it takes a minute until that is known.
      const cancels = [
        this.#clock.after(asked.ttl, expire),
        this.#clock.after(CONTACT_RULE.every, () => {
          if (!this.#isHeard(asked.host, began)) expire();
        }),
      ];
      const waiting = this.#waiting.get(asked.host) ?? new Map<number, Waiting>();
      waiting.set(number, { record, until: began + asked.ttl, done: end });
      this.#waiting.set(asked.host, waiting);
      for (const wake of this.#wakers.get(asked.host) ?? []) wake();
    });
  }

  /** The commands that a host should have, each with what is left of its time. */
  due(host: string): readonly HostCommand[] {
    const now = this.#clock.monotonic();
    return [...(this.#waiting.get(host)?.values() ?? [])].flatMap(({ record, until }) => {
      const { number, name, target, by, step, answer } = record;
      const which = { ...(step === undefined ? {} : { step }), ...(answer === undefined ? {} : { answer }) };
      return until <= now ? [] : [{ number, name, target, by, ...which, ttl: until - now }];
    });
  }

  /** Resolves when there is a command for this host, or the time is over. */
  async wait(host: string, time: Millis, abort: AbortSignal): Promise<readonly HostCommand[]> {
    if (this.due(host).length > 0 || abort.aborted) return this.due(host);
    await new Promise<void>((resolve) => {
      const wakers = this.#wakers.get(host) ?? new Set();
      this.#wakers.set(host, wakers);
      const wake = () => {
        cancel();
        wakers.delete(wake);
        abort.removeEventListener("abort", wake);
        resolve();
      };
      const cancel = this.#clock.after(time, wake);
      wakers.add(wake);
      abort.addEventListener("abort", wake);
    });
    return this.due(host);
  }

  async ended(host: string, results: readonly CommandResult[]): Promise<void> {
    for (const result of results) {
      const waiting = this.#waiting.get(host)?.get(result.number);
      if (waiting === undefined) continue;
      const record = { ...waiting.record, result: { ...result, at: this.#clock.wall() } };
      const { screen: _, evidence: __, ...kept } = record.result;
      await this.#persist({ records: [recordOf({ ...record, result: kept })] });
      waiting.done(result);
    }
  }

  /** Somebody looks at this host, so that commands will come. */
  watch(host: string): void {
    if (!this.isWatched(host)) this.#wanted(host);
    this.#watched.set(host, this.#clock.monotonic() + WATCHED);
  }

  isWatched(host: string): boolean {
    return (this.#watched.get(host) ?? 0) > this.#clock.monotonic() || this.due(host).length > 0;
  }

  #count(host: string, number: number): void {
    this.#numbers.set(host, Math.max(this.#numbers.get(host) ?? 0, number));
  }
}

function recordOf(record: CommandRecord): StoredRecord<"command"> {
  return {
    kind: "command",
    id: `${record.host}/${record.number}`,
    at: record.askedAt,
    about: record.host,
    current: record.result === undefined,
    body: record,
  };
}
