import type { Agent } from "../core/agent.ts";
import type { Store } from "../ports/store.ts";
import type { Watcher } from "../watch/watcher.ts";
import { TokenStore } from "./access/token-store.ts";
import { localOperations } from "./local.ts";
import { noSuchAgent } from "./operation-error.ts";
import type { Operations } from "./operations.ts";
import type { LocalParts, ScheduledActions } from "./parts.ts";
import { PingIds } from "./ping-ids.ts";

/** What the daemon gives. */
export interface DaemonParts
  extends Pick<
    LocalParts,
    | "now"
    | "newId"
    | "resume"
    | "peek"
    | "handles"
    | "takeStep"
    | "question"
    | "answer"
    | "nextStep"
    | "reportsTo"
    | "hub"
  > {
  readonly watcher: Watcher;
  readonly store: Store;
  /** The token in the home, and the secret that ping UUIDs are made with. */
  readonly token: string;
  readonly pingSecret: string;
  /** What is told of the watcher beside the roll. */
  readonly info: () => { readonly running: true };
  readonly actions: ScheduledActions;
  /** Makes an agent of what was asked for, or says what is wrong with it. Only the owner names any file. */
  readonly readAgent: (value: unknown, isOwner: boolean) => { agent: Agent } | { problem: string };
}

/** The operations of a daemon, and what its web server needs besides them to know who asks. */
export interface DaemonService {
  readonly operations: Operations;
  readonly keys: TokenStore;
  readonly pingIds: PingIds;
}

export async function openService(given: DaemonParts): Promise<DaemonService> {
  const { watcher, store, info } = given;
  const keys = await TokenStore.load(given.token, store, (records) => watcher.persist({ records }));
  const pingIds = new PingIds(given.pingSecret, () => watcher.reader.ids());
  const operations = localOperations({
    ...given,
    watcher: async () => watcher,
    desk: async () => watcher.desk,
    roll: async () => ({
      watcher: { ...info() },
      places: () => watcher.reader.places(),
      counts: () => watcher.reader.counts(),
      place: (id) => watcher.reader.place(id),
      view: (place, detail) => watcher.reader.view(place, detail),
      rhythm: (place) => watcher.reader.rhythm(place),
      pingUuid: (id) => pingIds.uuidOf(id),
    }),
    mustBeOnRoll: (id) => {
      if (watcher.reader.place(id) === undefined) throw noSuchAgent(id);
    },
    readAgent: async (value, isOwner) => given.readAgent(value, isOwner),
    tokens: async () => keys,
    actions: async () => given.actions,
  });
  return { operations, keys, pingIds };
}
