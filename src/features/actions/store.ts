import type { ActionChange, ActionState, Outgoing, Run } from "../../core/action/state.ts";
import type { Delivery } from "../../core/delivery/delivery.ts";
import type { ActionStore } from "../../ports/action-store.ts";
import type { Kept, Store } from "../../ports/store.ts";
import { keptDelivery } from "../../watch/incident-desk.ts";

export interface ActionStoreOptions {
  readonly store: Store;
  /** Commits, in the line of everything else. */
  readonly keep: (kept: readonly Kept[]) => Promise<void>;
  /** Where an action's messages go. */
  readonly placesFor: (action: string) => readonly string[];
}

/** The state of actions in the store of the fleet: a run, what it changes and what it says are one commit. */
export function keptActions({ store, keep, placesFor }: ActionStoreOptions): ActionStore {
  return {
    async load() {
      const found = await store.kept("action", { limit: 10_000 });
      return found.map(({ body }) => body);
    },
    async commit({ state, runs = [], say = [] }: ActionChange) {
      const deliveries: Kept[] = [];
      for (const outgoing of say) {
        for (const place of placesFor(outgoing.action)) {
          const delivery = deliveryOf(outgoing, place);
          // What was ever queued under its key is not queued again.
          if ((await store.one("delivery", delivery.key)) === undefined)
            deliveries.push(keptDelivery(delivery));
        }
      }
      await keep([keptState(state), ...runs.map(keptRun), ...deliveries]);
    },
    async runs(action, page) {
      return (await store.kept("run", { ...page, about: action })).map(({ body }) => body);
    },
  };
}

/** An action's state is never forgotten: it knows what was said. */
function keptState(state: ActionState): Kept<"action"> {
  return {
    kind: "action",
    id: state.action,
    at: state.settledTo,
    about: state.action,
    open: true,
    body: state,
  };
}

function keptRun(run: Run): Kept<"run"> {
  return {
    kind: "run",
    id: `${run.action} ${run.id}`,
    at: run.dueAt,
    about: run.action,
    open: false,
    body: run,
  };
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
