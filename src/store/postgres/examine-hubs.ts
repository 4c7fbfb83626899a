import type { Millis } from "../../core/duration.ts";
import type { HubInCharge, KnownHub } from "../../ports/hubs.ts";
import { HUBS, hubOf } from "./circle.ts";
import { PgConnection } from "./connection.ts";
import { hubInCharge, PART } from "./lease.ts";
import { ageOf } from "./reads.ts";

/** The lease of a store, by the database's clock. */
export interface LeaseReport {
  /** The id of the hub, or of the watcher, that has it. */
  readonly owner: string;
  readonly epoch: number;
  /** The number of the last commit. */
  readonly commit: number;
  /** How long it lasts from now; below zero if nobody has it. */
  readonly expiresIn: Millis;
  /** How long ago its owner was last heard of. */
  readonly seen: Millis;
}

/** What other hubs took and the owner has not heard yet. */
export interface InboxReport {
  /** Commits of them, each of one or more beats and reports. */
  readonly waiting: number;
  /** How long the oldest one waits. */
  readonly oldest: Millis;
}

export interface HubsReport {
  readonly lease: LeaseReport;
  readonly inbox: InboxReport;
  readonly hubs: readonly KnownHub[];
}

/** What a store says of its hubs; undefined if nobody has used it yet. Nothing is changed. */
export async function examineHubs(url: string): Promise<HubsReport | undefined> {
  const connection = await PgConnection.open({ url, readOnly: true });
  try {
    if (!(await isUsed(connection))) return undefined;
    const [row] = await connection.run({
      text: `SELECT owner, epoch, no, -${ageOf("expires")}, ${ageOf("seen")} FROM partitions WHERE id = 0`,
    });
    const [owner, epoch, commit, expiresIn, seen] = row ?? [];
    const hubs = await connection.run({ text: HUBS });
    const [inbox] = await connection.run({
      text: `SELECT count(*), coalesce(${ageOf("min(at)")}, 0) FROM inbox`,
    });
    return {
      lease: {
        ...{ owner: String(owner), epoch: Number(epoch), commit: Number(commit) },
        ...{ expiresIn: Number(expiresIn), seen: Number(seen) },
      },
      inbox: { waiting: Number(inbox?.[0]), oldest: Math.max(0, Number(inbox?.[1])) },
      hubs: hubs.map(hubOf),
    };
  } finally {
    await connection.close();
  }
}

/** The hub that owns a store and lives, if one does. Nothing is changed. */
export async function examineOwner(url: string): Promise<HubInCharge | undefined> {
  const connection = await PgConnection.open({ url, readOnly: true });
  try {
    return (await isUsed(connection)) ? await hubInCharge(connection, PART) : undefined;
  } finally {
    await connection.close();
  }
}

async function isUsed(connection: PgConnection): Promise<boolean> {
  const [there] = await connection.run({ text: "SELECT to_regclass('inbox')::text" });
  return there?.[0] !== null;
}
