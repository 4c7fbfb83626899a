import { HOUR, type Instant, MINUTE, type Millis, sayDuration } from "../duration.ts";
import { HOSTS, type Incident, idOf, isOpen, isSilence } from "./incident.ts";
import { resolve } from "./respond.ts";

/** Silences that were noticed no further apart than the hold and this may have one cause. */
const AT_ONCE: Millis = 3 * MINUTE;
/** A group's incident speaks for its members no longer than this. */
const LONGEST: Millis = 2 * HOUR;

/** How many of a group must fall silent at once for it to be one incident. */
export function quorum(size: number): number {
  return Math.max(3, Math.ceil(0.15 * size));
}

/** An incident that rests on silence, and about which no message has been sent. */
export function isHeld(incident: Incident): boolean {
  return (
    incident.kind === "agent" &&
    isOpen(incident) &&
    isSilence(incident.reason) &&
    incident.spokenForBy === undefined &&
    Object.keys(incident.told).length === 0
  );
}

/** Whether the first of these has been held long enough to decide. */
export function isRipe(held: readonly Incident[], hold: Millis, now: Instant): boolean {
  return held.some(({ noticedAt }) => now >= noticedAt + hold || now < noticedAt - MINUTE);
}

/** The group's incident for agents that fell silent at once, or undefined if they are too few. */
export function massIncident(
  group: string,
  size: number,
  held: readonly Incident[],
  hold: Millis,
  now: Instant,
): Incident | undefined {
  const together = mostAtOnce(held, hold + AT_ONCE);
  if (together.length < quorum(size)) return undefined;
  const openedAt = together.reduce(
    (first, { openedAt }) => Math.min(first, openedAt),
    Number.POSITIVE_INFINITY,
  );
  const members = together.map(({ subject }) => subject).sort();
  return {
    id: idOf(`group-${group}`, now),
    kind: "group",
    subject: group,
    group,
    // A host that says nothing is not dead: it cannot be told.
    state: group === HOSTS ? "unknown" : "dead",
    reason: "group-silent",
    why: sayWhy(group, members.length, size),
    severity: "critical",
    since: openedAt,
    noticedAt: now,
    openedAt,
    episodes: [now],
    flapping: false,
    change: 1,
    told: {},
    members,
  };
}

/** The most who were noticed within one short while: of each other, because we may have been away since. */
function mostAtOnce(held: readonly Incident[], within: Millis): readonly Incident[] {
  const sorted = held.toSorted((a, b) => a.noticedAt - b.noticedAt);
  let [from, to, end] = [0, 0, 0];
  for (const [at, first] of sorted.entries()) {
    while ((sorted[end]?.noticedAt ?? Number.POSITIVE_INFINITY) - first.noticedAt < within) end += 1;
    if (end - at > to - from) [from, to] = [at, end];
  }
  return sorted.slice(from, to);
}

/**
 * Whether so many more are to join a group's incident now. The whole incident is written each time, so the members of a
 * large one join many at a time; none waits longer than its hold.
 */
export function mayJoin({ members = [] }: Incident, more: number): boolean {
  return 100 * more >= members.length;
}

/** The group's incident with more members. */
export function joined(incident: Incident, more: readonly string[], size: number): Incident {
  const members = [...new Set([...(incident.members ?? []), ...more])].sort();
  return {
    ...incident,
    members,
    why: sayWhy(incident.group, members.length, size),
    change: incident.change + 1,
  };
}

function sayWhy(group: string, count: number, size: number): string {
  if (group === HOSTS)
    return `${count} of ${size} hosts fell silent at once: check this hub's own network first`;
  return `${count} of ${size} agents fell silent at once: check what they share (network, host, key, service)`;
}

/** Whether a group's incident with so many silent members ends at `now`. */
export function massIsOver({ members = [], noticedAt }: Incident, silent: number, now: Instant): boolean {
  const lasted = now - noticedAt;
  return 2 * (members.length - silent) >= members.length || lasted < 0 || lasted >= LONGEST;
}

/**
 * The group's incident at `now`: it ends when half of its members are back, and after two hours at the latest, because a
 * rule that waits until few are silent may never end. Then each member speaks for itself again.
 */
export function massAt(incident: Incident, silent: readonly string[], now: Instant): Incident {
  const members = incident.members ?? [];
  const back = members.length - silent.length;
  const lasted = now - incident.noticedAt;
  const still = silent.length === 0 ? "" : `; still silent: ${silent.slice(0, 50).join(", ")}`;
  if (2 * back >= members.length) {
    return resolve(incident, {
      at: now,
      how: "recovered",
      why: `${back} of ${members.length} are back${still}`,
      left: silent,
    });
  }
  if (!massIsOver(incident, silent.length, now)) return incident;
  const why = `${back} of ${members.length} are back after ${sayDuration(lasted)}; from now on each agent gets its own alerts${still}`;
  return resolve(incident, { at: now, how: "over", why, left: silent });
}

/** When a group's incident ends at the latest. */
export function massEndsBy({ noticedAt }: Incident): Instant {
  return noticedAt + LONGEST;
}

/** A member after its group's incident ended: it was named there, and speaks for itself again. */
export function released(member: Incident, places: Incident["told"], now: Instant): Incident {
  const { spokenForBy: _, ...rest } = member;
  if (!isOpen(member)) return rest;
  const told = Object.fromEntries(
    Object.keys(places).map((place) => [place, { change: member.change, at: now, reminders: 0 }]),
  );
  return { ...rest, told };
}

/** A host that came back with another boot: told once, and over at once. */
export function rebootIncident(host: string, at: Instant): Incident {
  return {
    id: idOf(`reboot-${host}`, at),
    kind: "reboot",
    subject: host,
    group: "hosts",
    state: "unknown",
    reason: "host-rebooted",
    why: "the host rebooted since the watcher last saw it; agents that ran there may be gone",
    severity: "warning",
    since: at,
    noticedAt: at,
    openedAt: at,
    episodes: [at],
    flapping: false,
    change: 1,
    told: {},
  };
}
