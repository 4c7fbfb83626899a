import { statSync } from "node:fs";
import { join } from "node:path";
import { journalPath, readJournal } from "../agent/journal.ts";
import { isPaused } from "../core/agent.ts";
import { sameIncarnation } from "../core/beat.ts";
import type { Instant } from "../core/duration.ts";
import { lastSeen } from "../core/liveness/last-seen.ts";
import type { Gone } from "../core/liveness/observation.ts";
import { hostName } from "../home/home.ts";
import { findJournal } from "../signals/process/find-journal.ts";
import { namesIn } from "../system/files.ts";
import { bootId, type Proc, pidNamespace } from "../system/proc.ts";
import type { SignalFindings } from "../watch/intent.ts";
import type { RollPlace } from "../watch/roll-place.ts";

const ENDING = ".json";

/** A cycle that `rollcall run` began and has not ended; `seenAt` is when its process was last seen. */
interface OpenRun {
  readonly beganAt: Instant;
  seenAt?: Instant;
}

/**
 * Finds cycles of `rollcall run` that crashed together with the process that looked after them, of agents whose process no signal
 * follows. Only that is told: a beat tells everything else. While no cycle is under way, a round costs one look at a folder.
 */
export function crashedRuns(
  home: string,
  placeOf: (agent: string) => RollPlace | undefined,
  proc: Proc,
): (now: Instant) => readonly SignalFindings[] {
  const folder = join(home, "cycles");
  const changes = new Changes();
  const open = new Map<string, OpenRun>();

  const read = (agent: string): void => {
    const journal = readJournal(agent, home);
    if (journal === undefined || journal.outcome !== undefined || isForeign(journal.pidNamespace)) {
      open.delete(agent);
      return;
    }
    const beganAt = Date.parse(journal.beganAt);
    if (open.get(agent)?.beganAt !== beganAt) open.set(agent, { beganAt });
  };

  return (now) => {
    if (changes.may(folder, now)) {
      const journals = namesIn(folder).filter((name) => name.endsWith(ENDING));
      for (const name of journals) {
        if (changes.may(join(folder, name), now)) read(name.slice(0, -ENDING.length));
      }
    }
    return [...open].flatMap(([agent, run]) => {
      const place = placeOf(agent);
      if (place === undefined || !isJudgedHere(place)) return [];
      const looked = findJournal(journalPath(agent, home), proc).find(undefined);
      if (looked.how === "there") run.seenAt = now;
      if (looked.how !== "nobody" || isElsewhere(looked.life?.bootId, place)) return [];
      open.delete(agent);
      const gone: Gone = {
        ...{ kind: "gone", signal: "process", at: run.seenAt ?? run.beganAt, seenAt: now, clean: false },
        ...(looked.life && { incarnation: looked.life }),
      };
      const { lastBeat } = place.entry;
      return isKnown(gone, place) ? [] : [{ agent, facts: [lastSeen(gone, lastBeat)], memories: {} }];
    });
  };
}

/** The clock that dates files advances in steps. */
const STEP = 1000;

/** Files that may have changed since they were last asked about. Dates are compared for equality: the clock may be set back. */
class Changes {
  readonly #seen = new Map<string, { readonly written: Instant | undefined; readonly at: Instant }>();

  may(path: string, now: Instant): boolean {
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    const before = this.#seen.get(path);
    this.#seen.set(path, { written, at: now });
    if (before === undefined || before.written !== written) return true;
    return written !== undefined && Math.abs(before.at - written) < STEP;
  }
}

/** It runs in a container of its own, where the same pid means another process. */
function isForeign(namespace: string | undefined): boolean {
  return namespace !== undefined && namespace !== pidNamespace();
}

/** Another host may write to the same home. */
function isElsewhere(boot: string | undefined, { entry }: RollPlace): boolean {
  const { host = hostName() } = entry.lastBeat ?? {};
  return boot !== bootId() && host !== hostName();
}

/** What happens during a pause is told afterwards; agents with a process signal are followed by that. */
function isJudgedHere({ agent }: RollPlace): boolean {
  return agent.origin !== "host" && agent.signals?.process === undefined && !isPaused(agent);
}

/** It was told before the last restart. */
function isKnown({ incarnation, at }: Gone, { entry }: RollPlace): boolean {
  return entry.observations.some(
    (fact) =>
      fact.kind === "gone" &&
      (incarnation === undefined ? fact.at >= at : sameIncarnation(fact.incarnation, incarnation)),
  );
}
