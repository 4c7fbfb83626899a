import { sameIncarnation } from "../beat.ts";
import type { Facts } from "./facts.ts";
import type { BeatHeard, CycleMark, Gone, Presence } from "./observation.ts";

/** What may have been the last sign of a life: a process that went, a cycle that ended, a beat. */
type Last = Gone | CycleMark | BeatHeard;

/** Whether a life other than the one of `last` has shown itself since. A fact about a life judges no newer one. */
export function newerLife({ presence, lastBeat, begun, gone, frontSince }: Facts, last: Last): boolean {
  if (last.kind === "gone") {
    if (isThere(presence, last) || otherLife(lastBeat, last) || beganAfter(begun, last)) return true;
    // A log is what a terminal shows: a program that came to its foreground since is a new one.
    return last.signal === "log" && frontSince !== undefined && frontSince > last.seenAt;
  }
  if (begun !== undefined && begun.at > last.at) return true;
  return otherLife(presence, last) || otherLife(lastBeat, last) || otherLife(gone, last);
}

/** Only where both are known can we say that they are not the same one. */
function otherLife(sign: Presence | BeatHeard | CycleMark | Gone | undefined, last: Last): boolean {
  if (sign?.incarnation === undefined || last.incarnation === undefined || sign.at < last.at) return false;
  return !sameIncarnation(sign.incarnation, last.incarnation);
}

/** The signal that saw it go sees it again. Of other signals only a process counts: a pane outlives its program. */
function isThere(presence: Presence | undefined, gone: Gone): boolean {
  if (presence === undefined) return false;
  const tells = presence.signal === gone.signal || presence.incarnation !== undefined;
  return (tells && presence.at > gone.seenAt) || otherLife(presence, gone);
}

function beganAfter(begun: CycleMark | undefined, gone: Gone): boolean {
  if (begun === undefined || sameIncarnation(begun.incarnation, gone.incarnation)) return false;
  return begun.at > gone.seenAt || otherLife(begun, gone);
}

/** The cycle that is under way in the present life. */
export function openCycle(facts: Facts): CycleMark | undefined {
  const { begun, ended } = facts;
  if (begun === undefined || (ended !== undefined && ended.at >= begun.at)) return undefined;
  return newerLife(facts, begun) ? undefined : begun;
}
