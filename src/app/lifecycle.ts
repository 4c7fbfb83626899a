import { setTimeout as sleep } from "node:timers/promises";
import { listenAddress } from "../config/listen.ts";
import { loadConfig } from "../config/load.ts";
import { storedIn } from "../config/stored-home.ts";
import { type Millis, SECOND } from "../core/duration.ts";
import { checkHome, homeAt, prepareHome } from "../home/home.ts";
import { StoreError } from "../ports/store.ts";
import { startAmongHubs } from "./among-hubs.ts";
import { Closers } from "./closers.ts";
import { isHub } from "./open-link.ts";
import { awaited, tellNotStarted } from "./open-store.ts";
import { start, type Up } from "./start.ts";
import { takeHome, type UpOptions } from "./take-home.ts";

/** How often a start that found the disk full, or no database, looks again. */
const AGAIN: Millis = 5 * SECOND;

/** Starts everything, or nothing. A full disk and a database that cannot be reached are waited for. */
export async function up(options: UpOptions = {}): Promise<Up> {
  const folder = homeAt(options.home);
  // First of all: what stands in the home, its config too, is only as good as those who can write it.
  checkHome(folder);
  const config = await loadConfig(folder.path, options.config, undefined, true);
  const home = storedIn(folder, config);
  const address = listenAddress(options.listen, config);
  for (let told = false; ; told = true) {
    const closers = new Closers();
    try {
      prepareHome(home);
      const begun = await takeHome(options, home, config, closers);
      const isShared = home.store !== undefined && isHub(begun);
      return isShared ? await startAmongHubs(begun, address, home.store) : await start(begun, address);
    } catch (error) {
      await closers.release();
      const waits = options.strict === true ? undefined : awaited(error);
      if (!told && (waits !== undefined || error instanceof StoreError))
        await tellNotStarted(config, error, waits);
      if (waits === undefined) throw error;
      await sleep(AGAIN, undefined, { signal: options.abort });
    }
  }
}
