import { HOUR } from "../core/duration.ts";
import type { Store } from "../ports/store.ts";
import type { Config } from "./config/load.ts";

/** Forgets what is older than the config says: now, every hour until it is stopped, and when it is asked to. */
export function prunes(
  store: Store,
  retention: () => Config["retention"],
): { readonly prune: () => void; readonly stop: () => void } {
  const prune = () => {
    const at = Date.now();
    const { beats, flips } = retention();
    // A store that cannot prune cannot commit either, and the watcher says that.
    store.prune({ beats: at - beats, flips: at - flips }).catch(() => {});
  };
  prune();
  const timer = setInterval(prune, HOUR);
  return { prune, stop: () => clearInterval(timer) };
}
