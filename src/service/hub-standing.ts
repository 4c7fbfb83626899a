import type { Home } from "../home/home.ts";
import { runningWatcher } from "../home/running-watcher.ts";
import { withStore } from "../home/store.ts";
import { type HostView, showHost } from "../views/host.ts";
import type { WatcherInfo } from "../views/show.ts";
import { ask } from "./client.ts";

/** The hosts, as the hub that runs knows them; else as it left them. None where no host ever joined. */
export async function standingHosts(home: Home): Promise<readonly HostView[]> {
  const asked = (await askRunning(home, "/api/v1/hosts")) as
    | { readonly hosts: readonly HostView[] }
    | undefined;
  if (asked !== undefined) return asked.hosts;
  const records = await withStore(home, (store) =>
    store.records.page("host", { limit: 100_000, current: true }),
  );
  return records.map(({ body }) => showHost(body, undefined, {}));
}

/** Why the hub refuses what the running watcher reports; undefined if it does not, or nobody can say. */
export async function hubRefusal(home: Home): Promise<string | undefined> {
  const info = (await askRunning(home, "/api/v1/watcher")) as Partial<WatcherInfo> | undefined;
  return info?.reportsTo?.state === "refused" ? (info.reportsTo.problem ?? undefined) : undefined;
}

/** What the watcher of this home answers; undefined if none runs, or it does not know. */
async function askRunning(home: Home, path: string): Promise<unknown> {
  const url = runningWatcher(home)?.url;
  return url === undefined ? undefined : ask(home, url, "GET", path).catch(() => undefined);
}
