import { DaemonError } from "../../home/daemon-error.ts";
import { homeAt } from "../../home/home.ts";
import { type HubFile, readHubFile, removeHubFile } from "../../home/hub-file.ts";
import { runningWatcher } from "../../home/running-watcher.ts";
import { ask } from "../../service/client.ts";

/** Leaves the hub that this host joined: deletes what `join` wrote, and tells a watcher that runs. */
export async function leaveHub(named?: string): Promise<HubFile & { readonly told?: string }> {
  const home = homeAt(named);
  const file = readHubFile(home);
  if (file === undefined)
    throw new DaemonError("not-joined", `this host has joined no hub (${home.path} has no hub.json)`);
  removeHubFile(home);
  const running = runningWatcher(home);
  if (running?.url === undefined) return file;
  await ask(home, running.url, "POST", "/api/v1/watcher/reload", {});
  return { ...file, told: "The watcher no longer reports to the hub." };
}
