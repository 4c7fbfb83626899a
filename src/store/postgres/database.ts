import { type Millis, SECOND } from "../../core/duration.ts";
import type { Clock } from "../../ports/clock.ts";
import { StoreError } from "../../ports/store.ts";
import { systemClock } from "../../system/clock.ts";
import type { AskedDatabase, Calls, Loaded, RowBatch } from "../kit/protocol.ts";
import { sayAddress } from "./address.ts";
import { CommitStatements, type PreparedCommit } from "./commit.ts";
import { type ConnectionOptions, PgConnection } from "./connection.ts";
import { BEATS, FLIPS, KnownDays, NO_TABLE } from "./days.ts";
import { Lease, PART } from "./lease.ts";
import { migrate, versionOf } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { OutgoingRows } from "./outgoing.ts";
import { isLost, isRepeated, problem } from "./problems.ts";
import { prune } from "./prune.ts";
import * as reads from "./reads.ts";

export interface PostgresOptions extends Omit<ConnectionOptions, "onEnd"> {
  /** Who writes, the same after a restart. Without it nothing can be written. */
  readonly owner?: string | undefined;
  /** Takes the store at once from an owner at this epoch, or not at all. Without it an owner that may live is waited for. */
  readonly takeFrom?: number | undefined;
  /** How long an owner that vanished keeps others out. */
  readonly lease?: Millis | undefined;
  /** How long commits wait for a server that is away, or stay in doubt, before their callers are told. */
  readonly patience?: Millis | undefined;
  /** Another process has taken over: this one must end. */
  readonly onFenced?: ((error: StoreError) => void) | undefined;
  /** A simulation has clocks and a server of its own. */
  readonly world?: { readonly clock: Clock; readonly connect: typeof PgConnection.open } | undefined;
}

const LEASE: Millis = 10 * SECOND;
const PATIENCE: Millis = 30 * SECOND;
const RECONNECT_EVERY: Millis = 100;
/** An agent is loaded, and on the roll, within this: several times what it takes on a machine that is not busy. */
const LOADED_WITHIN: Millis = 0.1;

type Work<T> = (connection: PgConnection) => Promise<T>;

/**
 * PostgreSQL on one connection, which answers in the order of the questions. A broken connection is replaced at the next
 * question. A commit whose answer was lost is asked for by its number, on a new connection and under a new epoch: so it is
 * either there, or will never be, and only then sent again.
 */
export class PostgresDatabase implements AskedDatabase {
  readonly #options: PostgresOptions;
  readonly #where: string;
  readonly #lease: Lease | undefined;
  readonly #leaseLasts: Millis;
  readonly #clock: Clock;
  /** Calls after a while; that does not keep the process from ending. */
  readonly #later: Clock["after"];
  readonly #statements = new CommitStatements();
  readonly #days = new KnownDays();
  readonly #outgoing = new OutgoingRows(PART);
  #connection: PgConnection | undefined;
  #line: Promise<unknown> = Promise.resolve();
  /** The last commit that we know of. */
  #number = 0;
  /** The commit whose answer we wait for. */
  #sent: number | undefined;
  #failure: StoreError | undefined;
  /** Since when no commit has reached the server. */
  #awaySince: Millis | undefined;
  #stopKeeping: (() => void) | undefined;
  #isRenewing = false;
  /** How long loading may take. */
  #loading: Millis = 0;

  private constructor(options: PostgresOptions) {
    const { owner, lease = LEASE } = options;
    this.#options = options;
    this.#where = sayAddress(options.url);
    this.#leaseLasts = lease;
    this.#clock = options.world?.clock ?? systemClock;
    this.#later = options.world?.clock.after ?? unreferenced;
    const session = crypto.randomUUID();
    if (owner !== undefined)
      this.#lease = new Lease({ part: PART, owner, session, lasts: lease, clock: this.#clock }, this.#where);
  }

  /** Opens it to write with an `owner`, else to read. Undefined if there is nothing to read yet. */
  static async open(options: PostgresOptions): Promise<PostgresDatabase | undefined> {
    const database = new PostgresDatabase(options);
    return (await database.#begin()) ? database : undefined;
  }

  async #begin(): Promise<boolean> {
    try {
      const connection = await this.#open();
      this.#connection = connection;
      if (this.#lease === undefined) {
        const version = await versionOf(connection, this.#where);
        if (version === 0) await connection.close();
        if (version > 0 && version < MIGRATIONS.length) throw older(this.#where, version);
        return version > 0;
      }
      await migrate(connection, this.#where);
      this.#number = await this.#lease.claim(connection, this.#options.takeFrom);
      this.#keepOn();
      return true;
    } catch (error) {
      await this.#connection?.close();
      throw problem(this.#where, error);
    }
  }

  ask<C extends keyof Calls>(call: C, ask: Calls[C]["ask"]): Promise<Calls[C]["answer"]> {
    const answers: {
      readonly [Each in keyof Calls]: (ask: Calls[Each]["ask"]) => Promise<Calls[Each]["answer"]>;
    } = this.#answers;
    return this.#inLine(() => answers[call](ask));
  }

  async close(): Promise<void> {
    this.#stopKeeping?.();
    const ended = this.#line.then(async () => {
      const connection = this.#connection;
      if (connection === undefined) return;
      if (!connection.isBroken) await this.#lease?.release(connection).catch(() => {});
      await connection.close();
    });
    this.#failure = new StoreError("closed", `the database ${this.#where} is closed.`);
    this.#line = ended;
    await ended;
  }

  readonly #answers: {
    readonly [Each in keyof Calls]: (ask: Calls[Each]["ask"]) => Promise<Calls[Each]["answer"]>;
  } = {
    commit: (batch) => this.#commit(batch),
    load: () => this.#twice((on) => this.#load(on)),
    loadAgent: (id) => this.#twice((on) => reads.loadAgent(on, PART, id)),
    lastMark: () => this.#twice(async (on) => (await reads.stateOf(on, PART)).mark),
    beats: (ask) => this.#twice((on) => reads.beats(on, ask)),
    flips: (ask) => this.#twice((on) => reads.page(on, "flips", ask)),
    flipsSince: (ask) => this.#twice((on) => reads.flipsSince(on, ask)),
    stateTimes: (ask) => this.#twice((on) => reads.stateTimes(on, ask)),
    beatCounts: (ask) => this.#twice((on) => reads.beatCounts(on, ask)),
    cycles: (ask) => this.#twice((on) => reads.page(on, "cycles", ask)),
    list: (ask) => this.#twice((on) => reads.list(on, ask)),
    one: (ask) => this.#twice((on) => reads.one(on, ask)),
    underWay: () => this.#twice(reads.underWay),
    changesSince: (ask) => this.#twice((on) => reads.changesSince(on, PART, ask)),
    spool: () => this.#twice((on) => this.#outgoing.spool(on)),
    renewSpool: (id) => this.#twice((on) => this.#outgoing.renew(on, this.#epoch, id)),
    outgoing: (ask) => this.#twice((on) => this.#outgoing.after(on, ask)),
    forgetOutgoing: (ask) => this.#twice((on) => this.#outgoing.forget(on, this.#epoch, ask)),
    prune: (ask) =>
      this.#twice((connection) =>
        prune({ connection, days: this.#days, part: PART, epoch: this.#epoch }, ask),
      ),
  };

  /**
   * Loading a large fleet, and making a roll of it, takes longer than a lease, and nothing is renewed meanwhile. So the lease
   * lasts longer until the first commit: otherwise another hub would take over, load, and lose it in the same way.
   */
  async #load(connection: PgConnection): Promise<Loaded> {
    if (this.#lease !== undefined) {
      this.#loading = (await reads.agentCount(connection, PART)) * LOADED_WITHIN;
      await this.#lease.extend(connection, this.#loading);
    }
    return reads.load(connection, PART);
  }

  get #epoch(): number {
    return this.#lease?.epoch ?? -1;
  }

  /** One question after the other. */
  #inLine<T>(work: () => Promise<T>): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const done = this.#line.then(async () => {
      if (this.#failure?.code === "fenced") throw this.#failure;
      return work();
    });
    this.#line = done.catch(() => {});
    return done;
  }

  /** For what may be done twice: a broken connection is replaced, and it is asked again. */
  async #twice<T>(work: Work<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(await this.#connected());
      } catch (error) {
        if (attempt === 2 || !isLost(error) || error instanceof StoreError) throw this.#told(error);
        this.#giveUp();
      }
    }
  }

  async #commit(batch: RowBatch): Promise<number> {
    const prepared = this.#statements.prepare(batch);
    let connection = await this.#reconnected();
    const number = this.#number + 1;
    for (;;) {
      this.#sent = number;
      try {
        if (await this.#send(connection, prepared, number))
          return this.#committed(connection, prepared, number);
        throw await this.#refusal(connection, prepared);
      } catch (error) {
        if (error instanceof StoreError || !isLost(error)) {
          this.#sent = undefined;
          if (error instanceof Error && "code" in error && error.code === NO_TABLE) this.#days.forget();
          throw this.#told(error);
        }
        this.#giveUp();
        connection = await this.#reconnected(error);
        if (this.#number === number) return this.#committed(connection, prepared, number);
      }
    }
  }

  async #send(connection: PgConnection, prepared: PreparedCommit, number: number): Promise<boolean> {
    await this.#days.ensure(connection, BEATS, prepared.beatDays);
    await this.#days.ensure(connection, FLIPS, prepared.flipDays);
    const at = this.#clock.uptime();
    const lease = this.#leaseLasts / SECOND;
    const fence = { part: PART, epoch: this.#epoch, number, lease };
    // Beats hardly ever come twice, so that is tried without a thought for it. A statement that fails has kept nothing.
    const rows = await connection.run(prepared.statement(fence)).catch((error: unknown) => {
      if (!isRepeated(error)) throw error;
      return connection.run(prepared.statement(fence, true));
    });
    this.#lease?.sent(at);
    this.#loading = 0;
    return rows.length === 1;
  }

  async #committed(connection: PgConnection, { outgoing }: PreparedCommit, number: number): Promise<number> {
    this.#number = number;
    this.#sent = undefined;
    if (outgoing !== undefined)
      // The commit is there, whatever becomes of this: the next one makes room.
      await this.#outgoing.limit(connection, this.#epoch, outgoing).catch(() => this.#outgoing.forgetSize());
    return number;
  }

  /** Why the statement found nothing to write. */
  async #refusal(connection: PgConnection, { needed, missing }: PreparedCommit): Promise<Error> {
    const [row] = await connection.run({
      text: `SELECT needed FROM unnest($1::text[]) AS needed
        WHERE NOT EXISTS (SELECT 1 FROM agents WHERE id = needed) LIMIT 1`,
      values: [[...needed]],
    });
    if (row !== undefined) return missing(String(row[0]));
    return (
      (await this.#lease?.fenced(connection)) ??
      new StoreError("read-only", `${this.#where} was opened to read.`)
    );
  }

  #open(): Promise<PgConnection> {
    const readOnly = this.#lease === undefined;
    // Others take the end of our session for our own, unless we are back soon.
    const { world, ...options } = this.#options;
    const onEnd = () => this.#clock.soon(() => this.#keepLease());
    return (world?.connect ?? PgConnection.open)({ ...options, readOnly, onEnd });
  }

  async #connected(): Promise<PgConnection> {
    const connection = this.#connection;
    if (connection !== undefined && !connection.isBroken) return connection;
    const opened = await this.#open();
    this.#connection = opened;
    try {
      await this.#resume(opened);
    } catch (error) {
      opened.destroy();
      throw error;
    }
    return opened;
  }

  /** Takes the lease again, and finds out what became of a commit without an answer. */
  async #resume(connection: PgConnection): Promise<void> {
    if (this.#lease === undefined) return;
    const number = await this.#lease.resume(connection);
    if (number !== this.#number && number !== this.#sent) throw this.#strange(number);
    this.#number = number;
  }

  /** The database has another past than the one that we know, so what we have in memory is not what it holds. */
  #strange(number: number): StoreError {
    const what =
      number < this.#number
        ? `has lost the commits ${number + 1} to ${this.#number}, as a standby does that was promoted too early`
        : `has the commit ${number}, of which nobody knew whether it was kept`;
    return new StoreError("fenced", `the database ${this.#where} ${what}. This process must start again.`);
  }

  /**
   * A connection under a lease that we believe in. A server that restarts is waited for, until it has been away for
   * `patience`: after that nothing waits, as long as it stays away.
   */
  async #reconnected(why?: unknown): Promise<PgConnection> {
    const { patience = PATIENCE } = this.#options;
    for (;;) {
      try {
        const connection = await this.#connected();
        if (this.#lease?.isBelieved === false) await this.#resume(connection);
        this.#awaySince = undefined;
        return connection;
      } catch (error) {
        if (error instanceof StoreError) throw this.#told(error);
        this.#giveUp();
        this.#awaySince ??= this.#clock.monotonic();
        if (this.#clock.monotonic() >= this.#awaySince + patience) {
          // From here on the caller takes it as not stored: if it is there after all, we must start again.
          this.#sent = undefined;
          throw this.#told(why ?? error);
        }
        await new Promise<void>((done) => void this.#clock.after(RECONNECT_EVERY, done));
      }
    }
  }

  #giveUp(): void {
    this.#connection?.destroy();
    this.#connection = undefined;
  }

  get #isCut(): boolean {
    return this.#connection?.isBroken !== false;
  }

  #keepOn(): void {
    this.#stopKeeping = this.#later(this.#leaseLasts / 4, () => {
      this.#keepLease();
      this.#keepOn();
    });
  }

  #keepLease(): void {
    const lease = this.#lease;
    // Before that nothing is claimed yet.
    if (this.#isRenewing || lease === undefined || this.#stopKeeping === undefined) return;
    if (this.#failure !== undefined || (lease.isFresh && !this.#isCut)) return;
    this.#isRenewing = true;
    this.#inLine(async () => lease.renew(await this.#connected(), this.#loading))
      .catch((error: unknown) => this.#told(error))
      .finally(() => {
        this.#isRenewing = false;
        if (this.#isCut) this.#later(RECONNECT_EVERY, () => this.#keepLease());
      });
  }

  /** The port's error; one that ends us is kept. */
  #told(error: unknown): StoreError {
    const told = problem(this.#where, error);
    if (told.code === "fenced" && this.#failure === undefined) {
      this.#failure = told;
      this.#stopKeeping?.();
      this.#options.onFenced?.(told);
    }
    return told;
  }
}

function unreferenced(delay: Millis, call: () => void): () => void {
  const timer = setTimeout(call, delay);
  timer.unref();
  return () => clearTimeout(timer);
}

function older(where: string, version: number): StoreError {
  return new StoreError(
    "failed",
    `the database ${where} has schema version ${version}; the watcher of this version brings it up to date at its next start.`,
  );
}
