import { sayUnknownAction } from "../core/action/unknown.ts";
import { iso } from "../core/duration.ts";
import { cursorOf } from "../ports/repositories.ts";
import { type RunView, showRun } from "../views/show.ts";
import { askAbout } from "./hosts.ts";
import { OperationError } from "./operation-error.ts";
import type { Operations } from "./operations.ts";
import type { LocalParts, ScheduledActions } from "./parts.ts";
import { cursorPage } from "./read-page.ts";

export function actionOperations(parts: LocalParts) {
  const { store, actions } = parts;
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
    async runAction(name) {
      const there = await runThere(parts, name);
      return there ?? showRun(await (await having(name)).run(name));
    },
    enableAction: async (name, enabled) => (await having(name)).enable(name, enabled),
  } satisfies Partial<Operations>;
}

/** `nightly@web1`: asks the host web1 to run its action. Undefined if no host of this hub is named. */
async function runThere(parts: LocalParts, name: string): Promise<RunView | undefined> {
  const host = name.slice(name.lastIndexOf("@") + 1);
  if (host === name || parts.hub?.()?.hub.one(host) === undefined) return undefined;
  const startedAt = parts.now();
  const { number, says } = await askAbout(parts, host, name, "run", "operator");
  const times = { dueAt: startedAt, startedAt, endedAt: parts.now() };
  return showRun({ id: `${host}/${number}`, action: name, outcome: "done", ...times, message: says });
}
