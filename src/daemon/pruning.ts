import { HOUR } from "../core/duration.ts";
import type { Store } from "../ports/store.ts";
import type { Config } from "./config/load.ts";

/** Forgets what is older than the config says, now and every hour, until the answer is called. */
export function prunes(store: Store, { retention }: Config): () => void {
  const prune = () => {
    const at = Date.now();
    // A store that cannot prune cannot commit either, and the watcher says that.
    store.prune({ beats: at - retention.beats, flips: at - retention.flips }).catch(() => {});
  };
  prune();
  const timer = setInterval(prune, HOUR);
  return () => clearInterval(timer);
}
