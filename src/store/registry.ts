import { existsSync } from "node:fs";
import type * as z from "zod";
import type { HubCircle, HubInCharge } from "../ports/hubs.ts";
import type { Inbox } from "../ports/inbox.ts";
import { type Store, StoreError } from "../ports/store.ts";
import { readSecret } from "../system/secret.ts";
import type { postgresSettings } from "./postgres/settings.ts";
import { openSqlite } from "./sqlite/index.ts";

/** A store of a home. One in a file can be copied while it is in use. */
export interface HomeStore extends Store {
  /** Writes all that is committed into a new file, also when the store's own file has lost its name. */
  copyTo?(file: string): Promise<void>;
}

export interface StoreDeps {
  /** The database file in the home. */
  readonly file: string;
  /** Without a thread: for a command, which has nothing else to do while the disk is slow. */
  readonly here?: boolean | undefined;
  /** Who writes, the same after a restart; without it the store is only read. */
  readonly owner?: (() => string) | undefined;
  /** Takes a store on a server at once from an owner at this epoch, or not at all. */
  readonly takeFrom?: number | undefined;
  /** Another process has taken over: this one must end. */
  readonly onFenced?: ((error: StoreError) => void) | undefined;
}

/** What the config says of its store; nothing for the file in the home. */
export type StoreSettings = z.output<typeof postgresSettings>;

/** Undefined: there is nothing to read yet. */
export async function openStore(
  settings: StoreSettings | undefined,
  { file, owner, onFenced, takeFrom, here }: StoreDeps,
): Promise<HomeStore | undefined> {
  if (settings !== undefined) {
    const { openPostgres } = await import("./postgres/index.ts");
    return openPostgres({ url: addressOf(settings), owner: owner?.(), onFenced, takeFrom });
  }
  const how = here === undefined ? {} : { here };
  if (owner !== undefined) return openSqlite(file, how);
  return existsSync(file) ? openSqlite(file, { ...how, readOnly: true }) : undefined;
}

/** The hubs that share the store of these settings. */
export async function openCircle(settings: StoreSettings): Promise<HubCircle> {
  const { PostgresCircle } = await import("./postgres/circle.ts");
  return PostgresCircle.open(addressOf(settings));
}

/** The hub that owns the store of these settings and lives; undefined if none does, or the store cannot be asked. */
export async function hubInCharge(settings: StoreSettings | undefined): Promise<HubInCharge | undefined> {
  if (settings === undefined) return undefined;
  const { examineOwner } = await import("./postgres/examine-hubs.ts");
  return examineOwner(addressOf(settings)).catch(() => undefined);
}

/** What hubs took that do not own the store of these settings. */
export async function openInbox(settings: StoreSettings): Promise<Inbox> {
  const { PostgresInbox } = await import("./postgres/inbox.ts");
  return new PostgresInbox(addressOf(settings));
}

/** The address with its password. Throws if the place that the config names does not hold it. */
export function addressOf({ url, urlEnv, urlFile }: StoreSettings): string {
  if (url !== undefined) return url;
  const found = readSecret({ env: urlEnv, file: urlFile }, process.env);
  if ("value" in found) return found.value;
  throw new StoreError("failed", `store: ${found.problem}`);
}
