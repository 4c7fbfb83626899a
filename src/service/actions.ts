import { sayUnknownAction } from "../core/action/unknown.ts";
import { iso } from "../core/duration.ts";
import { cursorOf } from "../ports/repositories.ts";
import { showRun } from "../views/show.ts";
import { OperationError } from "./operation-error.ts";
import type { Operations } from "./operations.ts";
import type { LocalParts, ScheduledActions } from "./parts.ts";
import { cursorPage } from "./read-page.ts";

export function actionOperations({ store, actions }: LocalParts) {
  const having = async (name: string): Promise<ScheduledActions> => {
    const scheduled = await actions();
    const names = scheduled.list().map((action) => action.name);
    if (names.includes(name)) return scheduled;
    throw new OperationError("no-such-action", sayUnknownAction(name, names));
  };
  return {
    actions: async () => (await actions()).list(),
    nextRuns: async (name, count) => (await having(name)).upcoming(name, count).map(iso),
    async runs(name, wanted) {
      const page = await cursorPage(wanted, cursorOf.run, showRun, (asked) =>
        store.runs.page({ ...asked, action: name }),
      );
      // An action that is no longer scheduled keeps its history.
      if (page.items.length === 0) await having(name);
      return page;
    },
    runAction: async (name) => showRun(await (await having(name)).run(name)),
    enableAction: async (name, enabled) => (await having(name)).enable(name, enabled),
  } satisfies Partial<Operations>;
}
