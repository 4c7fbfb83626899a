import type { ActionState, Outgoing, Run } from "../../core/action/state.ts";
import type { ActionStore } from "../../ports/action-store.ts";

/** How much of each action's history is kept. */
const MOST_RUNS = 1000;

/**
 * State that lasts as long as the process: for other programs, which hand their messages on themselves. A message that
 * cannot be delivered fails the commit, which is then tried again.
 */
export function memoryActionStore(deliver: (message: Outgoing) => unknown = () => {}): ActionStore {
  const states = new Map<string, ActionState>();
  const history = new Map<string, Map<string, Run>>();
  const keys = new Map<string, Set<string>>();
  return {
    load: async () => [...states.values()].map((state) => structuredClone(state)),
    async commit({ state, runs = [], say = [] }) {
      const { action } = state;
      const queued = keys.get(action) ?? new Set<string>();
      keys.set(action, queued);
      for (const message of say) {
        if (queued.has(message.key)) continue;
        await deliver(message);
        queued.add(message.key);
      }
      // A key comes again only shortly after its first time, when a run is repeated.
      forget(queued, MOST_RUNS);
      states.set(action, structuredClone(state));
      const rows = history.get(action) ?? new Map<string, Run>();
      history.set(action, rows);
      for (const run of runs) rows.set(run.id, structuredClone(run));
      forget(rows, MOST_RUNS);
    },
    async runs(action, { limit, before = Number.POSITIVE_INFINITY }) {
      const rows = [...(history.get(action)?.values() ?? [])].filter(({ dueAt }) => dueAt < before);
      return structuredClone(
        rows
          .reverse()
          .sort((a, b) => b.dueAt - a.dueAt)
          .slice(0, limit),
      );
    },
  };
}

/** Drops what came first. */
function forget(kept: Map<string, unknown> | Set<string>, most: number): void {
  for (const key of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(key);
  }
}
