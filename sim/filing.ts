import { MINUTE } from "../src/core/duration.ts";
import type { IssueDraft } from "../src/core/rca/issue.ts";
import { DEFAULT_TEMPLATE } from "../src/core/rca/template.ts";
import { IssueDesk, type IssuePolicy } from "../src/features/issues/issue-desk.ts";
import type { PendingIssues } from "../src/features/issues/marked-files.ts";
import type { Forge } from "../src/ports/forge.ts";
import type { Store } from "../src/ports/store.ts";
import type { Watcher } from "../src/watch/watcher.ts";
import type { Life } from "./life.ts";

export const ISSUES: IssuePolicy = { states: ["dead", "stalled", "failing"], after: 5 * MINUTE };

/** The folder of issues that are to be filed: it outlives the process. */
export function pendingIssues(): PendingIssues {
  const drafts = new Map<string, IssueDraft>();
  const folder: Pick<PendingIssues, keyof PendingIssues> = {
    alone: (_, file) => file(),
    keep: (draft) => {
      drafts.set(draft.marker, draft);
    },
    drop: (marker) => {
      drafts.delete(marker);
    },
    all: () => [...drafts.values()],
  };
  // The real one is a folder on a disk, behind a lock with a clock of its own.
  return folder as PendingIssues;
}

/** The real issue desk of one life of the process; it does what is due once a minute. */
export function fileIssues(
  life: Life,
  watcher: Watcher,
  store: Store,
  forge: Forge,
  pending: PendingIssues,
): void {
  const desk = new IssueDesk({
    ...{ watcher, store, pending, policy: ISSUES, now: life.clock.wall },
    handedOver: { all: () => [], drop: () => {} },
    forge: () => ({ forge, secrets: [] }),
    template: () => DEFAULT_TEMPLATE,
    closeOnRecovery: false,
    escalateTo: [],
    healthyTick: () => undefined,
  });
  const run = () => {
    // What could not be done is done by a later run.
    desk.run().catch(() => {});
    life.after(MINUTE, run);
  };
  life.after(MINUTE, run);
}
