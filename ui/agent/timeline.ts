import type { BeatView, CycleView, FlipView, IncidentView, RecoveryView, State } from "../api/shapes.ts";

export interface ShownHistory {
  /** The newest of each kind of fact that is known, besides its beats: when it was last seen to do something. */
  readonly seen: readonly { readonly signal: string; readonly at: string; readonly says: string }[];
  readonly beats: readonly BeatView[];
  readonly flips: readonly FlipView[];
  readonly cycles: readonly CycleView[];
  readonly incidents: readonly IncidentView[];
  readonly recoveries: readonly RecoveryView[];
}

/** Something that happened, for the timeline. `until` where it is a run of like things. */
export interface TimelineEntry {
  readonly at: number;
  readonly until?: number;
  /** How many beats it stands for. */
  readonly count?: number;
  readonly kind: "beat" | "error" | "seen" | "flip" | "cycle" | "incident" | "recovery";
  readonly text: string;
  readonly state?: State;
  /** The incident that it belongs to. */
  readonly incident?: string;
}

function entry(
  at: string,
  kind: TimelineEntry["kind"],
  text: string,
  more: Pick<TimelineEntry, "state" | "incident"> = {},
): TimelineEntry {
  return { at: Date.parse(at), kind, text, ...more };
}

/** Everything that happened, newest first. Beats that say nothing new are drawn together. */
export function momentsOf({ flips, cycles, incidents, recoveries, beats, seen }: ShownHistory) {
  const entries = [
    ...flips.map(({ at, from, to, why }) => entry(at, "flip", `${from} → ${to}: ${why}`, { state: to })),
    ...cycles.flatMap(cycleEntries),
    ...incidents.flatMap(incidentEntries),
    ...recoveries.map(({ plannedAt, endedAt, step, state, why }) =>
      entry(endedAt ?? plannedAt, "recovery", `${step} ${state}: ${why}`),
    ),
    ...beats.map(beatEntry),
    ...seen
      .filter(({ signal }) => signal !== "beat")
      .map(({ signal, at, says }) => entry(at, "seen", `${signal}: ${says}`)),
  ];
  return together(entries.sort((a, b) => b.at - a.at));
}

function beatEntry({ receivedAt, status, action, message }: BeatView): TimelineEntry {
  const words = [action, message].filter((part) => part !== undefined && part !== "").join(": ");
  return status === "error" ? entry(receivedAt, "error", words || "error") : entry(receivedAt, "beat", words);
}

function cycleEntries({ number, beganAt, endedAt, outcome }: CycleView): TimelineEntry[] {
  const began = entry(beganAt, "cycle", `cycle ${number} began`);
  if (endedAt === null) return [began];
  return [entry(endedAt, "cycle", `cycle ${number} ended: ${outcome ?? "?"}`), began];
}

function incidentEntries(incident: IncidentView): TimelineEntry[] {
  const { id, openedAt, reopenedAt, since, why, acknowledged, resolved } = incident;
  const of = (at: string, text: string) => entry(at, "incident", text, { incident: id });
  // Rollcall keeps the reason of the present state only: an earlier opening had another one.
  const begins = (at: string, what: string) => of(at, at === since ? `${what}: ${why}` : what);
  return [
    begins(openedAt, "incident opened"),
    ...(reopenedAt === null ? [] : [begins(reopenedAt, "incident reopened")]),
    ...(acknowledged === null ? [] : [of(acknowledged.at, `acknowledged by ${acknowledged.by}`)]),
    ...(resolved === null ? [] : [of(resolved.at, `resolved: ${resolved.why}`)]),
  ];
}

function together(moments: readonly TimelineEntry[]): TimelineEntry[] {
  const list: TimelineEntry[] = [];
  for (const moment of moments) {
    const last = list.at(-1);
    if (moment.kind !== "beat" || last?.kind !== "beat") list.push(moment);
    else {
      const { until = last.at, count = 1 } = last;
      list[list.length - 1] = { ...last, at: moment.at, until, count: count + 1 };
    }
  }
  return list;
}
