import type { Config } from "../config/load.ts";
import { HOUR, type Millis, SECOND } from "../core/duration.ts";
import { believedAt } from "../core/liveness/trust.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { Watcher } from "../watch/watcher.ts";

/** The watcher looks at the clocks every second: after this long it has noticed if the wall clock was set. */
const NOTICED: Millis = 2 * SECOND;

export interface PruningOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly watcher: Pick<Watcher, "trust">;
  readonly retention: () => Config["retention"];
}

/** Forgets what is older than the config says: now, every hour until it is stopped, and when it is asked to. */
export function prunes({ store, clock, watcher, retention }: PruningOptions): {
  readonly prune: () => void;
  readonly stop: () => void;
} {
  let cancel = () => {};
  const prune = () => {
    cancel();
    const asked = clock.wall();
    cancel = clock.after(NOTICED, () => {
      // A clock that was set before we asked, even just before, is known by now.
      const at = believedAt(watcher.trust, asked);
      const { beats, flips } = retention();
      // A store that cannot prune cannot commit either, and the watcher says that.
      store.prune({ beats: at - beats, flips: at - flips }).catch(() => {});
      cancel = clock.after(HOUR, prune);
    });
  };
  prune();
  return { prune, stop: () => cancel() };
}
