import type { Config } from "../config/load.ts";
import { type Millis, SECOND } from "../core/duration.ts";
import { HookDesk } from "../features/hooks/hook-desk.ts";
import type { Log } from "../ports/log.ts";
import { systemClock } from "../system/clock.ts";
import { openProc } from "../system/proc.ts";
import type { Watcher } from "../watch/watcher.ts";

/** A dialog is believed after two looks: both come soon after the client told of it. */
const LOOKS: readonly Millis[] = [SECOND, 3 * SECOND];

/** Takes what the clients of coding agents say. */
export function openHooks(
  watcher: Watcher,
  config: () => Config,
  log: Log,
  look: (agent: string) => Promise<void>,
): { readonly desk: HookDesk; stop(): Promise<void> } {
  const pending = new Map<string, () => void>();
  const lookSoon = (agent: string) => {
    LOOKS.forEach((delay, index) => {
      const key = `${index} ${agent}`;
      pending.get(key)?.();
      const cancel = systemClock.after(delay, () => {
        pending.delete(key);
        // The next round looks as well.
        look(agent).catch(() => {});
      });
      pending.set(key, cancel);
    });
  };
  const desk = new HookDesk({
    proc: openProc(),
    env: process.env,
    roll: () =>
      [...watcher.reader.places()].map(({ agent, entry }) => ({ agent, observations: entry.observations })),
    memories: (agent) => watcher.reader.place(agent)?.entry.memories?.hook,
    autoRegister: () => config().autoRegister !== false,
    add: (agent) => watcher.add(agent),
    notice: (found) => watcher.notice(found),
    look: lookSoon,
    now: systemClock.wall,
    uptime: systemClock.uptime,
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    log,
  });
  return {
    desk,
    stop: async () => {
      for (const cancel of pending.values()) cancel();
      await desk.settled();
    },
  };
}
