import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type MadeUpOptions, type MadeUpWeb, madeUpWeb } from "../../test/made-up-web.ts";
import { iso } from "../core/duration.ts";
import { homeAt } from "../home/home.ts";
import { openSqlite } from "../store/sqlite/index.ts";
import { operationsContract } from "./operations.contract.ts";
import type { ScheduledActions } from "./parts.ts";
import { remoteOperations } from "./remote.ts";

operationsContract("in the process of a watcher, its store in memory", () => operated({}));

operationsContract("in the process of a watcher, its store in a file", async () => {
  const store = await openSqlite(join(folder(), "rollcall.db"));
  onTestFinished(() => store.close());
  return operated({ store });
});

operationsContract("over the API", async () => {
  const home = homeAt(folder());
  const web = await operated({ socket: home.socket });
  return { ...web, operations: remoteOperations(home, web.url) };
});

function operated(options: MadeUpOptions): Promise<MadeUpWeb> {
  return madeUpWeb({ ...options, actions: sweep() });
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "rollcall-operations-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** One action, which is due at the first moments of 1970. */
function sweep(): ScheduledActions {
  let enabled = true;
  const calendar = { schedule: "every 1m", timezone: "UTC", words: "every minute" };
  const state = { running: false, nextAt: iso(1), failures: 0, lastRun: null };
  return {
    list: () => [{ name: "sweep", description: "sweeps", ...calendar, enabled, ...state }],
    upcoming: (_, count) => [1, 2, 3].slice(0, count),
    run: async (action) => ({ action, id: "1", dueAt: 1, outcome: "done" }),
    enable: async (_, wish) => {
      enabled = wish;
    },
  };
}
