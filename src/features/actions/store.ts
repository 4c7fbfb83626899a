import type { ActionChange, ActionState, Outgoing } from "../../core/action/state.ts";
import type { Delivery } from "../../core/delivery/delivery.ts";
import type { ActionStore } from "../../ports/action-store.ts";
import type { StoredRecord } from "../../ports/repositories.ts";
import type { Persistable, Store } from "../../ports/store.ts";

export interface ActionStoreOptions {
  readonly store: Store;
  /** Commits, in the line of everything else. */
  readonly persist: (parts: Persistable) => Promise<void>;
  /** Where an action's messages go. */
  readonly placesFor: (action: string) => readonly string[];
}

/** The state of actions in the store of the fleet: a run, what it changes and what it says are one commit. */
export function storedActions({ store, persist, placesFor }: ActionStoreOptions): ActionStore {
  return {
    async load() {
      const found = await store.records.page("action", { limit: 10_000 });
      return found.map(({ body }) => body);
    },
    async commit({ state, runs = [], say = [] }: ActionChange) {
      const deliveries: Delivery[] = [];
      for (const outgoing of say) {
        for (const place of placesFor(outgoing.action)) {
          const delivery = deliveryOf(outgoing, place);
          // What was ever queued under its key is not queued again.
          if ((await store.deliveries.one(delivery.key)) === undefined) deliveries.push(delivery);
        }
      }
      await persist({ records: [recordOf(state)], runs, deliveries });
    },
    runs: (action, page) => store.runs.page({ ...page, action }),
  };
}

/** An action's state is never forgotten: it knows what was said. */
function recordOf(state: ActionState): StoredRecord<"action"> {
  const { action: id, settledTo: at } = state;
  return { kind: "action", id, at, about: id, current: true, body: state };
}

function deliveryOf({ key, action, text, severity, at }: Outgoing, place: string): Delivery {
  const [title = "", ...lines] = text.split("\n");
  return {
    key: `${key}:${place}`,
    to: place,
    about: action,
    message: {
      severity: severity === "error" ? "warning" : "info",
      title,
      lines,
      data: { action, text, at: new Date(at).toISOString() },
    },
    createdAt: at,
    dueAt: at,
    state: "pending",
    attempts: 0,
  };
}
