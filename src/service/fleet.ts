import { readAgent } from "../config/agent-input.ts";
import { ConfigError } from "../config/config-error.ts";
import { type Config, loadConfig } from "../config/load.ts";
import { policyOf } from "../features/telling/policy.ts";
import { type Home, homeAt } from "../home/home.ts";
import { forgetBeats } from "../home/intake/beat-files.ts";
import { using, type Writer } from "../home/store.ts";
import type { Store } from "../ports/store.ts";
import { systemClock } from "../system/clock.ts";
import { Watcher } from "../watch/watcher.ts";
import { change } from "./change.ts";
import { ask } from "./client.ts";

/** What an operator wants of the fleet. */
export type FleetWish =
  | { readonly kind: "add"; readonly agent: unknown }
  | { readonly kind: "remove" | "pause" | "resume"; readonly id: string };

/** Changes the fleet: through the watcher if one runs, else by the same rules straight in the store. */
export async function changeFleet(
  where: { readonly home?: string; readonly config?: string },
  wish: FleetWish,
): Promise<void> {
  const home = homeAt(where.home);
  await change(home, {
    ask: (url) => askFor(home, url, wish),
    write: (writer) =>
      withWatcher(where, writer, async (watcher, _, config) => {
        if (wish.kind === "add") {
          const read = readAgent(wish.agent, config, systemClock.wall());
          if ("problem" in read) throw new ConfigError("agents add", [read.problem]);
          await watcher.add(read.agent);
          return;
        }
        await watcher[wish.kind](wish.id);
        if (wish.kind === "remove") forgetBeats(home.beats, wish.id);
      }),
  });
}

/**
 * With no watcher running: one that judges nobody, so that the same rules change the store. It leaves the last watcher's
 * sign of life alone, by which the next one knows how long nobody watched and whether the host was rebooted.
 */
export async function withWatcher<T>(
  where: { readonly home?: string; readonly config?: string },
  writer: Writer,
  use: (watcher: Watcher, store: Store, config: Config) => Promise<T>,
): Promise<T> {
  const home = homeAt(where.home);
  const config = await loadConfig(home.path, where.config);
  return using(await writer.openStore(), async (store) => {
    const options = { store, clock: systemClock, log: SILENT };
    return use(await Watcher.load(options, policyOf(config, systemClock.wall())), store, config);
  });
}

async function askFor(home: Home, url: string, wish: FleetWish): Promise<void> {
  if (wish.kind === "add") await ask(home, url, "POST", "/api/v1/agents", wish.agent);
  else if (wish.kind === "remove")
    await ask(home, url, "DELETE", `/api/v1/agents/${encodeURIComponent(wish.id)}`);
  else await ask(home, url, "POST", `/api/v1/agents/${encodeURIComponent(wish.id)}/${wish.kind}`);
}

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
