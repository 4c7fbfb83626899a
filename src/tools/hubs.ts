import { storedHome } from "../config/stored-home.ts";
import { type Millis, SECOND } from "../core/duration.ts";
import { homeAt } from "../home/home.ts";
import {
  examineHubs,
  type HubsReport,
  type InboxReport,
  type LeaseReport,
} from "../store/postgres/examine-hubs.ts";
import { addressOf } from "../store/registry.ts";

/** A hub that was not heard of for so long is gone. */
const GONE_AFTER: Millis = 10 * SECOND;

/** One of several hubs, as people see it. */
export interface HubView {
  readonly id: string;
  readonly role: "owner" | "standby" | "gone";
  readonly url: string;
  readonly version: string;
  readonly startedAt: string;
  /** How long ago it was heard of, in milliseconds. */
  readonly seen: Millis;
  /** How far its clock is ahead of the database's, in milliseconds. */
  readonly clockAhead: Millis;
}

export interface HubsView {
  readonly lease: LeaseReport;
  readonly inbox: InboxReport;
  readonly hubs: readonly HubView[];
}

/** The hubs that share the store of a home. Undefined if its store is a file, or if nobody has used it yet. */
export async function hubsOf(home: string | undefined, config?: string): Promise<HubsView | undefined> {
  const { store } = await storedHome(homeAt(home), config);
  const found = store === undefined ? undefined : await examineHubs(addressOf(store));
  return found && hubsView(found);
}

export function hubsView({ lease, inbox, hubs }: HubsReport): HubsView {
  return {
    lease,
    inbox: { ...inbox, oldest: Math.round(inbox.oldest) },
    hubs: hubs.map(({ id, url, version, startedAt, seen, clockAhead }) => ({
      ...{ id, role: roleOf(id, seen, lease), url, version },
      startedAt: new Date(startedAt).toISOString(),
      ...{ seen: Math.round(seen), clockAhead: Math.round(clockAhead) },
    })),
  };
}

function roleOf(id: string, seen: Millis, { owner, expiresIn }: LeaseReport): HubView["role"] {
  if (seen > GONE_AFTER) return "gone";
  return id === owner && expiresIn > 0 ? "owner" : "standby";
}
