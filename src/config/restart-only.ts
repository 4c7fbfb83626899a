import { isDeepStrictEqual } from "node:util";
import { type GivenListen, parseListen } from "./listen.ts";
import type { Config } from "./load.ts";

/** Keys that a reload cannot put in force, each with what does. Every other key is live. */
export const RESTART_ONLY = {
  listen: "rollcall daemon restart",
  "tls.cert": "rollcall daemon restart",
  "tls.key": "rollcall daemon restart",
  "hub.serve": "rollcall daemon restart",
  "store.url": "rollcall daemon restart",
  "store.urlEnv": "rollcall daemon restart",
  "store.urlFile": "rollcall daemon restart",
  "daemon.pidFile": "rollcall daemon restart",
  // It stands in the unit of systemd.
  "daemon.watchdogInterval": "rollcall install systemd",
} as const;

/** What a running watcher goes on with: the new config, but for the keys that it keeps until its restart. */
export function inForce(running: Config, next: Config): Config {
  const { pidFile, ...daemon } = next.daemon;
  const kept = running.daemon.pidFile;
  const { tls: _, store: __, ...others } = next;
  return {
    ...others,
    listen: running.listen,
    ...(running.tls === undefined ? {} : { tls: running.tls }),
    hub: { ...next.hub, serve: running.hub.serve },
    ...(running.store === undefined ? {} : { store: running.store }),
    daemon: {
      ...daemon,
      watchdogInterval: running.daemon.watchdogInterval,
      ...(kept === undefined ? {} : { pidFile: kept }),
    },
  };
}

/** One sentence for each key that was changed and is not in force: `listen: needs a restart (rollcall daemon restart)`. */
export function needingRestart(running: Config, next: Config, given?: GivenListen): readonly string[] {
  const values = ({ listen, tls, hub, store, daemon: { pidFile, watchdogInterval } }: Config) => ({
    listen,
    "tls.cert": tls?.cert,
    "tls.key": tls?.key,
    "hub.serve": hub.serve,
    "store.url": store?.url,
    "store.urlEnv": store?.urlEnv,
    "store.urlFile": store?.urlFile,
    "daemon.pidFile": pidFile,
    "daemon.watchdogInterval": watchdogInterval,
  });
  const before = values(running);
  const after = values(next);
  return (Object.keys(RESTART_ONLY) as (keyof typeof RESTART_ONLY)[])
    .filter((key) => !isDeepStrictEqual(before[key], after[key]))
    .filter((key) => key !== "listen" || given === undefined || !isSameAddress(given.listen, next.listen))
    .map((key) => {
      // A restart keeps the options of the start.
      if (key === "listen" && given !== undefined) {
        const why = `because the watcher was started with ${given.by} ${given.listen}`;
        return `listen: not in force yet, ${why}; it needs: ${RESTART_ONLY.listen} --listen ${next.listen}`;
      }
      return `${key}: not in force yet; it needs: ${RESTART_ONLY[key]}`;
    });
}

/** Whether both name the address at which the watcher listens already. */
function isSameAddress(given: string, next: string): boolean {
  return isDeepStrictEqual(parseListen(given, "the start"), parseListen(next, "the config"));
}
