import type { Beat } from "../core/beat.ts";
import type { Flip } from "../core/liveness/verdict.ts";
import { showBeat, showFlip } from "../web/api.ts";
import { ask, runningWatcher } from "./client.ts";
import { homeAt } from "./home.ts";
import { withStore } from "./offline.ts";

/** A beat and a flip as readers see them: times as text. */
export type BeatView = Omit<Beat, "sentAt" | "receivedAt"> & {
  readonly sentAt: string;
  readonly receivedAt: string;
};
export type FlipView = Omit<Flip, "at" | "noticedAt"> & { readonly at: string; readonly noticedAt: string };

interface Histories {
  readonly beats: BeatView;
  readonly flips: FlipView;
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
    return ((await ask(home, watcher.url, "GET", path)) as Record<K, readonly Histories[K][]>)[kind];
  }
  return withStore(home, { readOnly: true }, async (store) => {
    const rows =
      kind === "beats"
        ? (await store.beats(agent, { limit })).map(showBeat)
        : (await store.flips(agent, { limit })).map(showFlip);
    return rows as unknown as readonly Histories[K][];
  });
}
