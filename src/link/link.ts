import { HOUR, type Instant, MINUTE, type Millis, SECOND } from "../core/duration.ts";
import { type HostBatch, type HubAnswer, readCommand, WIRE } from "../core/host/batch.ts";
import { HOST_NAME, type NumberedFact } from "../core/host/fact.ts";
import { MARK_EVERY } from "../core/host/host.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { FactSpool } from "../ports/store.ts";
import type { CommandDesk } from "./command-desk.ts";

/** What the hub said to a batch. */
export type Reply =
  | { readonly answer: HubAnswer }
  /** It wants facts from another number on, or a new spool. */
  | { readonly resend: number; readonly renew: boolean }
  /** It will not take this host: a person must do something. */
  | { readonly refused: string }
  /** It was not reached, or is busy. */
  | { readonly failed: string; readonly wait?: Millis };

/** The way to the hub. */
export interface HubClient {
  send(batch: HostBatch): Promise<Reply>;
  /** Waits for commands; resolves with undefined if none came. */
  commands(wait: Millis): Promise<readonly unknown[] | undefined>;
}

export interface LinkOptions {
  readonly host: string;
  readonly version: string;
  readonly boot: string;
  /** Tells this process from others that speak for this host. */
  readonly life: string;
  readonly outgoing: FactSpool;
  readonly clock: Clock;
  readonly log: Log;
  readonly client: HubClient;
  readonly desk: CommandDesk;
  /** Between nought and one: spreads hosts over time. */
  readonly chance: () => number;
  /** A new name for a spool. */
  readonly newId: () => string;
  /** The hub knows nothing of this host, or facts were lost: tell how everybody is. */
  readonly onRenewed: () => void;
  /** The hub calls this host by another name. */
  readonly onRenamed?: (host: string) => void;
  /** After each attempt. */
  readonly onState?: (state: LinkState) => void;
}

/** What people can see of it. */
export interface LinkState {
  readonly hub: "in contact" | "out of contact" | "refused" | "not tried yet";
  readonly since: Instant;
  readonly problem?: string;
}

const BATCH_BYTES = 512 * 1024;
/** Facts that the hub has acknowledged are kept so long: a hub that lost its tail asks for them again. */
const KEPT: Millis = HOUR;
const FIRST_WAIT: Millis = SECOND;
const LONGEST_WAIT: Millis = 30 * SECOND;
/** Who was refused tries again this often: a person may have changed something. */
const REFUSED_WAIT: Millis = MINUTE;
/** What happens at once goes out at once. */
const GATHER: Millis = 200;
const LONG_POLL: Millis = 25 * SECOND;

/**
 * Brings what waits in the spool to the hub, in order, one batch at a time, and says every 15 seconds that it is here. Whatever
 * the hub does, the host goes on: it judges, recovers and records, and the spool keeps what is to be told.
 */
export class HubLink {
  readonly #options: LinkOptions;
  #state: LinkState;
  #host: string;
  #acked = 0;
  #spool = "";
  /** The number of the last loss after which everybody was told of anew. */
  #toldAnew = 0;
  #failures = 0;
  #stopped = false;
  #sending: Promise<void> | undefined;
  #again = false;
  #polling = false;
  #cancel: () => void = () => {};
  readonly #began: Millis;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#host = options.host;
    this.#began = options.clock.monotonic();
    this.#state = { hub: "not tried yet", since: options.clock.wall() };
  }

  get state(): LinkState {
    return this.#state;
  }

  async start(): Promise<void> {
    const { outgoing, newId } = this.#options;
    const { id, acked } = await outgoing.spool();
    if (id === "") await this.#renew(newId());
    else [this.#spool, this.#acked] = [id, acked];
    this.nudge(0);
  }

  /** Something new waits in the spool. */
  nudge(delay: Millis = GATHER): void {
    if (this.#stopped || this.#failures > 0) return;
    if (this.#sending !== undefined) this.#again = true;
    else this.#after(delay);
  }

  /** Sends what is left, once, and ends; `bye` if this host will not come back. */
  async stop(bye = false): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#sending;
    if (this.#failures === 0) await this.#send(bye);
  }

  #after(delay: Millis): void {
    this.#cancel();
    this.#cancel = this.#options.clock.after(delay, () => {
      this.#sending ??= this.#round().finally(() => {
        this.#sending = undefined;
      });
    });
  }

  async #round(): Promise<void> {
    let wait: Millis = 0;
    do {
      this.#again = false;
      wait = await this.#send();
    } while (!this.#stopped && (wait === 0 || (this.#again && this.#failures === 0)));
    if (!this.#stopped) this.#after(wait);
  }

  /** Sends one batch; answers how long to wait before the next one. */
  async #send(bye = false): Promise<Millis> {
    const { version, boot, life, outgoing, clock, client, desk } = this.#options;
    try {
      const { facts: waiting, last, forgotten } = await outgoing.spool();
      const facts = [
        ...this.#lostUpTo(forgotten),
        ...(await outgoing.after(Math.max(this.#acked, forgotten), BATCH_BYTES)),
      ];
      this.#tellAnew(facts);
      const results = desk.results();
      const reply = await client.send({
        ...{ v: WIRE, host: this.#host, spool: this.#spool, boot, version, from: this.#acked },
        clock: { wall: clock.wall(), uptime: clock.uptime() },
        life: { id: life, age: clock.monotonic() - this.#began },
        backlog: Math.max(0, waiting - facts.length),
        facts,
        ...(results.length === 0 ? {} : { results }),
        ...(bye ? { bye } : {}),
      });
      if ("answer" in reply) {
        desk.told(results);
        const sent = facts.at(-1)?.seq ?? this.#acked;
        return await this.#taken(reply.answer, sent, facts.length > 0 && sent < last);
      }
      return await this.#notTaken(reply);
    } catch (error) {
      return this.#failed(error instanceof Error ? error.message : String(error));
    }
  }

  /** A hub that lost more than is kept here is told how much that may be. */
  #lostUpTo(forgotten: number): readonly NumberedFact[] {
    const count = forgotten - this.#acked;
    const at = this.#options.clock.wall();
    return count <= 0 ? [] : [{ seq: forgotten, fact: { k: "dropped", at, count } }];
  }

  /** What went before it could be told is gone; how everybody is now is not. Once, whether or not the hub's answer arrives. */
  #tellAnew(facts: readonly NumberedFact[]): void {
    const lost = facts.findLast(({ fact }) => fact.k === "dropped")?.seq ?? 0;
    if (lost <= this.#toldAnew) return;
    this.#toldAnew = lost;
    this.#options.onRenewed();
  }

  async #taken(answer: HubAnswer, sent: number, more: boolean): Promise<Millis> {
    const { acked, commands, watched, slow, host = this.#host } = answer;
    const { outgoing, clock, desk, onRenamed } = this.#options;
    this.#failures = 0;
    if (host !== this.#host && HOST_NAME.test(host)) {
      this.#host = host;
      onRenamed?.(host);
    }
    this.#note("in contact");
    this.#acked = Math.min(acked, Math.max(sent, this.#acked));
    await outgoing.forget(this.#acked, clock.wall() - KEPT);
    for (const command of commands) this.#take(command);
    if (watched === true) void this.#poll();
    // Lower than what was sent: the hub lost its tail, and hears it again.
    if (more || acked < sent || desk.results().length > 0) return 0;
    return this.#spread(slow ?? MARK_EVERY);
  }

  async #notTaken(reply: Exclude<Reply, { answer: HubAnswer }>): Promise<Millis> {
    if ("resend" in reply) {
      if (reply.renew) await this.#renew(this.#options.newId());
      else this.#acked = reply.resend;
      // A hub that never agrees must not be asked without end.
      this.#failures += 1;
      return this.#failures > 2 ? this.#backoff() : 0;
    }
    if ("refused" in reply) {
      this.#failures += 1;
      this.#note("refused", reply.refused);
      return this.#spread(REFUSED_WAIT);
    }
    return this.#failed(reply.failed, reply.wait);
  }

  #failed(problem: string, wait?: Millis): Millis {
    this.#failures += 1;
    this.#note("out of contact", problem);
    return wait ?? this.#backoff();
  }

  #backoff(): Millis {
    return this.#spread(Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(10, this.#failures - 1)));
  }

  /** Hosts that lost one hub at once must not come back at once. */
  #spread(length: Millis): Millis {
    return length * (0.75 + 0.5 * this.#options.chance());
  }

  async #renew(id: string): Promise<void> {
    await this.#options.outgoing.renew(id);
    [this.#spool, this.#acked, this.#toldAnew] = [id, 0, 0];
    this.#options.onRenewed();
  }

  /** While somebody looks at this host, commands come at once. */
  async #poll(): Promise<void> {
    if (this.#polling || this.#stopped) return;
    this.#polling = true;
    try {
      const commands = await this.#options.client.commands(LONG_POLL);
      for (const command of commands ?? []) this.#take(command);
    } finally {
      this.#polling = false;
      this.nudge(0);
    }
  }

  #take(value: unknown): void {
    const command = readCommand(value);
    if (command === undefined) return;
    const { desk } = this.#options;
    void desk.take(command).then(
      () => {
        // The hub sends it with every answer until it knows how it ended: hearing it again is no reason to answer at once.
        if (desk.results().length > 0) this.nudge(0);
      },
      // What could not be recorded is not done; the watcher says what is wrong with the store.
      () => {},
    );
  }

  #note(hub: LinkState["hub"], problem?: string): void {
    const { log, clock, onState } = this.#options;
    if (this.#state.hub !== hub) {
      const level = hub === "in contact" ? "info" : "warn";
      log[level]({ ...(problem === undefined ? {} : { problem }) }, `hub: ${hub}`);
    }
    const since = this.#state.hub === hub ? this.#state.since : clock.wall();
    this.#state = { hub, since, ...(problem === undefined ? {} : { problem }) };
    onState?.(this.#state);
  }
}
