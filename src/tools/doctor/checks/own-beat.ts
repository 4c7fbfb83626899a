import type { State } from "../../../core/liveness/state.ts";
import { StoreError } from "../../../ports/store.ts";
import { rollOffline } from "../../../service/offline-roll.ts";
import { type Check, type CheckContext, type CheckFinding, type Level, note, warn } from "../check.ts";

const LEVEL: Readonly<Partial<Record<State, Level>>> = {
  dead: "error",
  failing: "error",
  stalled: "error",
  late: "warning",
  alive: "ok",
  resting: "ok",
};

export const ownBeatCheck: Check = {
  name: "beat",
  looksAt:
    "the watcher's own beat, sent as the agent `rollcall@<host>`: it is on time, and its watcher still runs",
  worst: "error",
  async run(context) {
    const id = `rollcall@${context.host.name}`;
    try {
      return [await lookAt(id, context)];
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return [note(`${id} cannot be checked while the database cannot be read`)];
    }
  },
};

/** Judged from the files by the same rules as everybody: a dead watcher cannot be asked. */
async function lookAt(id: string, { home, config, command }: CheckContext): Promise<CheckFinding> {
  const [own] = await rollOffline(home, config, id);
  const todo = `Show its last beat: ${command(`status ${id}`)}`;
  if (own === undefined || own.state === "new")
    return note(`the watcher has not sent a beat as ${id} yet`, `Start it: ${command("daemon start")}`);
  // That its process is gone is told by the check of the daemon; how bad that is, too.
  if (own.reason === "exited")
    return warn(`${id} sends no beats: ${own.why}`, `Start it: ${command("daemon start")}`);
  const level = LEVEL[own.state] ?? "note";
  const says = `${id} is ${own.state}: ${own.why}`;
  return level === "ok" ? { level, says } : { level, says, todo };
}
