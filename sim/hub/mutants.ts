import type { HostBatch, HubAnswer } from "../../src/core/host/batch.ts";
import type { Hub, Refusal } from "../../src/hub/hub.ts";
import type { CommandDeskOptions } from "../../src/link/command-desk.ts";
import type { Changes, Store } from "../../src/ports/store.ts";
import type { Watcher } from "../../src/watch/watcher.ts";
import { hiding } from "../mutants.ts";

/** A host or a hub that is wrong in one way, made from the right one by replacing what it stands on. */
export interface HubMutant {
  readonly name: string;
  readonly hostStore?: (store: Store) => Store;
  readonly hubStore?: (store: Store) => Store;
  readonly hubWatcher?: (watcher: Watcher) => void;
  readonly receive?: (hub: Hub, batch: HostBatch) => Promise<HubAnswer | Refusal>;
  readonly desk?: (options: CommandDeskOptions) => CommandDeskOptions;
}

/** The product as it is. */
export const NO_MUTANT: HubMutant = { name: "none" };

/** Whoever is out of contact is written down as dead. */
function deadWithoutContact(changes: Changes): Changes {
  const flips = changes.flips?.map((flip) =>
    flip.reason === "host-out-of-contact" ? { ...flip, to: "dead" as const } : flip,
  );
  const entries = changes.entries?.map((entry) => {
    const { verdict } = entry.standing;
    if (verdict.reason !== "host-out-of-contact") return entry;
    return { ...entry, standing: { ...entry.standing, verdict: { ...verdict, state: "dead" as const } } };
  });
  return { ...changes, ...(flips && { flips }), ...(entries && { entries }) };
}

/** Every mutant must be found. */
export const HUB_MUTANTS: readonly HubMutant[] = [
  {
    name: "ack before commit",
    async receive(hub, batch) {
      const { acked, spool } = hub.one(batch.host) ?? {};
      const taken = hub.receive(batch);
      if (batch.facts.length === 0 || acked !== batch.from || spool !== batch.spool) return taken;
      taken.catch(() => {});
      return { acked: batch.upTo ?? acked, commands: [] };
    },
  },
  {
    name: "resume by the host's number",
    receive: (hub, batch) => hub.receive({ ...batch, from: hub.one(batch.host)?.acked ?? 0 }),
  },
  {
    name: "acked facts forgotten at once",
    hostStore: (store) => ({
      ...store,
      outgoing: { ...store.outgoing, forget: (upTo) => store.outgoing.forget(upTo, Number.MAX_VALUE) },
    }),
  },
  {
    name: "spool in another transaction",
    hostStore: (store) => ({
      ...store,
      async commit({ outgoing = [], ...state }) {
        const number = await store.commit(state);
        return outgoing.length === 0 ? number : store.commit({ outgoing });
      },
    }),
  },
  {
    name: "contact loss is death",
    hubStore: (store) => ({ ...store, commit: (changes) => store.commit(deadWithoutContact(changes)) }),
  },
  { name: "contact on the wall clock", hubWatcher: hiding("step") },
  {
    name: "command without time to live",
    desk: (options) => ({ ...options, clock: { ...options.clock, uptime: () => 0 } }),
  },
  { name: "command repeated", desk: (options) => ({ ...options, records: [] }) },
  {
    name: "silent drop",
    hostStore: (store) => ({
      ...store,
      outgoing: {
        ...store.outgoing,
        after: async (number, bytes) =>
          (await store.outgoing.after(number, bytes)).map((each) =>
            each.fact.k === "dropped" ? { ...each, fact: { ...each.fact, count: 0 } } : each,
          ),
      },
    }),
  },
];
