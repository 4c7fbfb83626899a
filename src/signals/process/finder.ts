import type { Incarnation } from "../../core/beat.ts";
import type { Instant } from "../../core/duration.ts";
import type { ProcessStat } from "../../system/proc.ts";

/** The result of a search for the agent's process. */
export type Found =
  | { readonly how: "there"; readonly stat: ProcessStat }
  /** No process was found. With `since` that alone proves an end: a process was there then. */
  | { readonly how: "nobody"; readonly why: string; readonly since?: Instant; readonly life?: Incarnation }
  /** Nothing to report: no cycle is in progress. */
  | { readonly how: "quiet" }
  | { readonly how: "unclear"; readonly problem: string };

/** How the agent's process is found. */
export interface Finder {
  /**
   * Looks for it; `known` is the life that was followed so far, which may have ended. Where nothing depends on the
   * very moment, `now` allows to use what was seen a moment ago.
   */
  find(known: Incarnation | undefined, now?: Instant): Found;
  /** Whether another process may have taken over although the one that is followed is still there. */
  hasMoved?(): boolean;
  memory?(): string | undefined;
}
