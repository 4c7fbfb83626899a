import { MINUTE, type Millis, sayDuration } from "../../../core/duration.ts";
import { rollOffline } from "../../../service/offline-roll.ts";
import { type Check, ok, warn } from "../check.ts";

/** An agent that starts with its watcher is not there at once. */
const PATIENCE: Millis = 2 * MINUTE;
/** More are named in `rollcall status`. */
const NAMED = 5;

export const agentsCheck: Check = {
  name: "agents",
  looksAt: "agents that cannot be checked: their pane, process, log or address is not where the config says",
  worst: "warning",
  async run({ home, config, command, now }) {
    // A store that cannot be read is told by the check of the database.
    const roll = await rollOffline(home, config).catch(() => []);
    const unseen = roll.filter(({ state, reason, since, origin }) => {
      const isLate = now() - Date.parse(since) > PATIENCE;
      return state === "unknown" && reason === "not-watched" && origin !== "host" && isLate;
    });
    if (unseen.length === 0) return [ok("every agent that is to be looked at can be")];
    const found = unseen.slice(0, NAMED).map(({ id, why, since }) => {
      const says = `${id}: ${why}, for ${sayDuration(now() - Date.parse(since))}`;
      return warn(says, `Start it, or correct the config; its evidence: ${command(`explain ${id}`)}`);
    });
    const more = unseen.length - found.length;
    return more === 0
      ? found
      : [...found, warn(`${more} more agents cannot be checked`, `See them: ${command("status")}`)];
  },
};
