import { type Millis, SECOND, sayDuration } from "../../core/duration.ts";
import type { Clock } from "../../ports/clock.ts";
import { HUB_GONE_AFTER, type HubInCharge, type Ownership } from "../../ports/hubs.ts";
import { StoreError } from "../../ports/store.ts";
import type { PgConnection } from "./connection.ts";

/** For now one owner has the whole fleet. */
export const PART = 0;

/** Who owns a part of the fleet, in the words of the database. */
export interface LeaseOptions {
  readonly part: number;
  /** The same after a restart: an owner that was killed goes on at once. */
  readonly owner: string;
  /** Another one at each start: of two processes of one owner only the newer may write. */
  readonly session: string;
  readonly lasts: Millis;
  readonly clock: Clock;
}

const LOOK_AGAIN: Millis = 250;
/** An owner believes in its lease for this part of it, so that it stops before another begins. */
const BELIEVED = 0.75;

/** The lock that an owner's session holds. It dies with the session, which is quicker than a lease, and only a hint. */
const LOCK = "hashtextextended(current_schema() || '/' || id, 1919904876)";

/**
 * The right to commit to one part of the fleet. Claiming it raises its epoch, and each commit writes the row that holds
 * the epoch: so an owner that was frozen and woke up commits nothing. When it expires, the database's clock decides;
 * whether we still believe in it, our own clock that cannot be set.
 *
 *   claimed ──lost its connection──▶ in doubt ──resumed under a new epoch──▶ claimed
 *      └────────────another claimed it────────┴──▶ fenced
 */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #where: string;
  #epoch = 0;
  /** Whether our session holds the lock that tells others of our end. */
  #isLocked = false;
  #sentAt: Millis = Number.NEGATIVE_INFINITY;

  constructor(options: LeaseOptions, where: string) {
    this.#options = options;
    this.#where = where;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get isBelieved(): boolean {
    return this.#options.clock.uptime() < this.#sentAt + BELIEVED * this.#options.lasts;
  }

  /** A commit keeps it too, so that an owner that has something to do never renews it. */
  get isFresh(): boolean {
    return this.#isLocked && this.#options.clock.uptime() < this.#sentAt + this.#options.lasts / 4;
  }

  /** The lease lasts from the moment at which the statement was sent. */
  sent(at: Millis): void {
    this.#sentAt = at;
  }

  /**
   * Claims it from an owner that is gone, and answers with the number of the last commit. Waits for one that may be gone, but
   * not for a hub that lives; with `from`, it is taken at once from an owner of this epoch, or not at all.
   */
  async claim(connection: PgConnection, from?: number): Promise<number> {
    const { lasts, clock } = this.#options;
    const deadline = clock.monotonic() + (from === undefined ? lasts + Math.min(lasts, 2 * SECOND) : 0);
    const condition = `owner = $2 OR expires <= clock_timestamp() OR epoch = ${Number(from ?? -1)}`;
    for (;;) {
      const number = await this.#take(connection, condition);
      if (number !== undefined) return number;
      const hub = await hubInCharge(connection, this.#options.part);
      if (hub !== undefined || clock.monotonic() >= deadline) throw await this.#busy(connection, hub);
      await new Promise<void>((done) => void clock.after(LOOK_AGAIN, done));
    }
  }

  /**
   * Takes it again after a broken connection, under a new epoch: what the old connection sent and is still on its way
   * counts no more. Answers with the number of the last commit.
   */
  async resume(connection: PgConnection): Promise<number> {
    const number = await this.#take(connection, "session = $3");
    if (number === undefined) throw await this.fenced(connection);
    return number;
  }

  /** Keeps it while nothing is committed; with `longer`, for so much longer than usual. */
  async renew(connection: PgConnection, longer: Millis = 0): Promise<void> {
    const at = this.#options.clock.uptime();
    const [row] = await connection.run({
      text: `UPDATE partitions SET expires = clock_timestamp() + make_interval(secs => $3), seen = clock_timestamp(),
          locked = CASE WHEN locked = epoch OR pg_try_advisory_lock(${LOCK}) THEN epoch ELSE locked END
        WHERE id = $1 AND epoch = $2 RETURNING locked = epoch`,
      values: [this.#options.part, this.#epoch, (this.#options.lasts + longer) / SECOND],
    });
    if (row === undefined) throw await this.fenced(connection);
    this.#isLocked = row[0] === true;
    this.sent(at);
  }

  /** Makes it last so much longer than usual. Others still read when the owner before us was seen. */
  async extend(connection: PgConnection, longer: Millis): Promise<void> {
    const { part, lasts } = this.#options;
    await connection.run({
      text: "UPDATE partitions SET expires = clock_timestamp() + make_interval(secs => $3) WHERE id = $1 AND epoch = $2",
      values: [part, this.#epoch, (lasts + longer) / SECOND],
    });
  }

  async release(connection: PgConnection): Promise<void> {
    await connection.run({
      text: "UPDATE partitions SET expires = '-infinity', session = '' WHERE id = $1 AND session = $2",
      values: [this.#options.part, this.#options.session],
    });
  }

  async fenced(connection: PgConnection): Promise<StoreError> {
    const [owner] = await this.#holder(connection);
    return new StoreError(
      "fenced",
      `the database ${this.#where} was taken over by ${owner}. This process must end; it may start again.`,
    );
  }

  async #busy(connection: PgConnection, hub: HubInCharge | undefined): Promise<StoreError> {
    if (hub !== undefined)
      return new StoreError(
        "busy",
        `only hub "${hub.id}" (${hub.url}) may change the database ${this.#where} now. Run the command on the machine of that hub, or start the watcher of this home first (rollcall daemon start), which passes commands on to that hub.`,
      );
    const [owner, rest] = await this.#holder(connection);
    return new StoreError(
      "busy",
      `the database ${this.#where} is in use by ${owner}, for ${sayDuration(Math.max(0, rest))} at least. Stop that watcher first, or give this one a database or schema of its own.`,
    );
  }

  async #holder(connection: PgConnection): Promise<readonly [owner: string, rest: Millis]> {
    const [row] = await connection.run({
      text: `SELECT owner, extract(epoch FROM least(expires, clock_timestamp() + interval '1 day') - clock_timestamp())::float8
        FROM partitions WHERE id = $1`,
      values: [this.#options.part],
    });
    const [owner, rest] = row ?? [];
    return [
      owner === this.#options.owner ? "another process of this home" : `"${String(owner)}"`,
      Number(rest) * SECOND,
    ];
  }

  async #take(connection: PgConnection, condition: string): Promise<number | undefined> {
    const { part, owner, session, lasts } = this.#options;
    const at = this.#options.clock.uptime();
    const [row] = await connection.run({
      text: `UPDATE partitions SET owner = $2::text, session = $3::text, epoch = epoch + 1,
          locked = CASE WHEN pg_try_advisory_lock(${LOCK}) THEN epoch + 1 ELSE locked END,
          expires = clock_timestamp() + make_interval(secs => $4)
        WHERE id = $1 AND (${condition}) RETURNING epoch, no, locked = epoch`,
      values: [part, owner, session, lasts / SECOND],
    });
    if (row === undefined) return undefined;
    this.#epoch = Number(row[0]);
    this.#isLocked = row[2] === true;
    this.sent(at);
    return Number(row[1]);
  }
}

/** Undefined if the owner is no hub, or may be gone. */
export async function hubInCharge(connection: PgConnection, part: number): Promise<HubInCharge | undefined> {
  const { owner, isFree, isOrphaned } = await leaseState(connection, part);
  if (isFree || isOrphaned) return undefined;
  const [row] = await connection.run({
    text: `SELECT id, url FROM hubs WHERE id = $1 AND seen > clock_timestamp() - interval '${HUB_GONE_AFTER / SECOND} s'`,
    values: [owner],
  });
  // Hosts need the fingerprint in an address; people do not.
  return row && { id: String(row[0]), url: String(row[1]).replace(/#.*/, "") };
}

/** Looks at a lease without touching it. */
export async function leaseState(connection: PgConnection, part: number): Promise<Ownership> {
  const [row] = await connection.run({
    name: "rollcall-lease",
    text: `SELECT owner, epoch, expires <= clock_timestamp(),
        CASE WHEN locked = epoch THEN pg_try_advisory_xact_lock_shared(${LOCK}) ELSE false END
      FROM partitions WHERE id = $1`,
    values: [part],
  });
  const [owner, epoch, isFree, isOrphaned] = row ?? ["", 0, true, false];
  return {
    owner: String(owner),
    epoch: Number(epoch),
    isFree: isFree === true,
    isOrphaned: isOrphaned === true,
  };
}
