import { homeAt } from "../home/home.ts";
import { runningWatcher } from "../home/running-watcher.ts";
import {
  type BeatView,
  type CycleView,
  type FlipView,
  type NextStepView,
  type RecoveryView,
  showBeat,
  showCycle,
  showFlip,
  showRecovery,
} from "../views/show.ts";
import { ask, askList } from "./client.ts";
import { withStoreIfThere } from "./offline.ts";

/** What comes next for an agent in trouble: only a watcher that runs takes any. */
export async function nextStepOf(
  where: { readonly home?: string },
  agent: string,
): Promise<NextStepView | null> {
  const home = homeAt(where.home);
  const watcher = runningWatcher(home);
  if (watcher?.url === undefined) return null;
  const path = `/api/v1/agents/${encodeURIComponent(agent)}/recoveries?limit=1`;
  return ((await ask(home, watcher.url, "GET", path)) as { nextStep: NextStepView | null }).nextStep;
}

export type { NextStepView, RecoveryView };

export interface Histories {
  readonly cycles: CycleView;
  readonly beats: BeatView;
  readonly flips: FlipView;
  readonly recoveries: RecoveryView;
}

/** What is recorded of an agent, newest first: from the watcher if one runs, else straight from the store. */
export async function historyOf<K extends keyof Histories>(
  where: { readonly home?: string },
  kind: K,
  agent: string,
  limit: number,
): Promise<readonly Histories[K][]> {
  const home = homeAt(where.home);
  const watcher = runningWatcher(home);
  if (watcher?.url !== undefined) {
    const path = `/api/v1/agents/${encodeURIComponent(agent)}/${kind}?limit=${limit}`;
    return (await askList<Record<K, readonly Histories[K][]>>(home, watcher.url, path, kind, limit))[kind];
  }
  const found = await withStoreIfThere(home, async (store) => {
    const rows = await {
      beats: async () => (await store.beats(agent, { limit })).map(showBeat),
      flips: async () => (await store.flips(agent, { limit })).map(showFlip),
      cycles: async () => (await store.cycles(agent, { limit })).map(showCycle),
      recoveries: async () => (await store.recoveries.page({ limit, agent })).map(showRecovery),
    }[kind]();
    return rows as unknown as readonly Histories[K][];
  });
  return found ?? [];
}
