import { sameIncarnation } from "../../core/beat.ts";
import { given } from "../../core/given.ts";
import type { Observation } from "../../core/liveness/observation.ts";
import type { Look, SignalReader } from "../../ports/signal.ts";
import { openProc, type Proc } from "../../system/proc.ts";
import { Existence } from "../kit/existence.ts";
import { partsOf } from "../kit/look-once.ts";
import { type Finder, findMatch, findPid, findPidFile } from "./find.ts";
import { findJournal } from "./find-journal.ts";
import type { ProcessSettings } from "./settings.ts";
import { ProcessWork } from "./work.ts";

/**
 * Follows the process of an agent from life to life. While it does nothing a look reads two small files of the kernel.
 * A process that was never there is no death: what it should be found by may be wrong, so that is said instead.
 */
export function processSignal(
  settings: ProcessSettings,
  memory?: unknown,
  proc: Proc = openProc(),
): SignalReader {
  const existence = new Existence("process", memory);
  const finder = finderOf(settings, proc, stampIn(memory));
  const work = new ProcessWork(proc);

  const search = (look: Look): readonly Observation[] => {
    const { life } = existence;
    // That it is gone must be true now; for one that we do not follow anyway the next round is soon enough.
    const isFollowed = life !== undefined && !existence.hasEnded;
    const found = finder.find(life, isFollowed ? undefined : look.now);
    switch (found.how) {
      case "there":
        return [...existence.there(look, found.stat.life), ...work.look(found.stat, look.now)];
      case "unclear":
        return existence.unclear(look, found.problem);
      case "quiet":
        existence.forget();
        return [];
      case "nobody": {
        if (isFollowed && proc.isHidden(life.pid)) {
          return existence.unclear(look, `process ${life.pid} is hidden from Rollcall`);
        }
        // Another life than the one that we saw: it began and ended while nobody looked.
        if (found.life !== undefined && life !== undefined && !sameIncarnation(found.life, life))
          existence.forget();
        if (!existence.isKnown && found.since === undefined) return existence.absent(look, found.why);
        // What we saw alive ourselves was last seen by us; else the trace that it left dates it.
        const traced = !existence.isKnown && found.since !== undefined ? { at: found.since } : {};
        return existence.gone(look, { clean: false, ...traced, ...(found.life && { life: found.life }) });
      }
    }
  };

  return {
    signal: "process",
    async look(look) {
      if (!proc.readable()) {
        return existence.unclear(look, "Rollcall cannot see processes here: there is no /proc");
      }
      const followed = existence.hasEnded ? undefined : existence.life;
      const stat = followed && proc.stat(followed.pid);
      if (stat === undefined || stat.life.startTime !== followed?.startTime) return search(look);
      if (stat.life.bootId !== followed.bootId) return search(look);
      if (finder.hasMoved?.() === true) {
        // The old one may live on beside the one that took over.
        const found = finder.find(followed);
        if (found.how === "there") {
          return [...existence.there(look, found.stat.life), ...work.look(found.stat, look.now)];
        }
      }
      return [...existence.there(look, stat.life), ...work.look(stat, look.now)];
    },
    memory: () => given({ ...existence.memory(), stamp: finder.memory?.() }),
    close() {},
  };
}

function finderOf({ pid, pidFile, match, journal }: ProcessSettings, proc: Proc, stamp?: string): Finder {
  if (pid !== undefined) return findPid(pid, proc);
  if (pidFile !== undefined) return findPidFile(pidFile, proc, stamp);
  if (match !== undefined) return findMatch(match, proc);
  if (typeof journal === "string") return findJournal(journal, proc);
  throw new Error("settings of a process signal without a pid, pidFile, match or journal");
}

function stampIn(memory: unknown): string | undefined {
  const { stamp } = partsOf(memory);
  return typeof stamp === "string" ? stamp : undefined;
}
