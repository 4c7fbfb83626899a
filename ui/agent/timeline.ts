import type { BeatView, CycleView, FlipView, IncidentView, RecoveryView, State } from "../api/shapes.ts";

export interface AgentHistory {
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

/** Everything that happened, newest first. Beats that say nothing new are drawn together. */
export function momentsOf(history: AgentHistory): TimelineEntry[] {
  const moments: TimelineEntry[] = [
    ...history.flips.map(
      ({ at, from, to, why }): TimelineEntry => ({
        at: Date.parse(at),
        kind: "flip",
        state: to,
        text: `${from} → ${to}: ${why}`,
      }),
    ),
    ...history.cycles.flatMap(cycleMoments),
    ...history.incidents.flatMap(incidentMoments),
    ...history.recoveries.map(
      ({ plannedAt, endedAt, step, state, why }): TimelineEntry => ({
        at: Date.parse(endedAt ?? plannedAt),
        kind: "recovery",
        text: `${step} ${state}${why === null ? "" : `: ${why}`}`,
      }),
    ),
    ...history.beats.map(beatMoment),
    ...history.seen
      .filter(({ signal }) => signal !== "beat")
      .map(
        ({ signal, at, says }): TimelineEntry => ({
          at: Date.parse(at),
          kind: "seen",
          text: `${signal}: ${says}`,
        }),
      ),
  ];
  return together(moments.sort((a, b) => b.at - a.at));
}

function beatMoment({ receivedAt, status, action, message }: BeatView): TimelineEntry {
  const words = [action, message].filter((part) => part !== undefined && part !== "").join(": ");
  if (status === "error")
    return { at: Date.parse(receivedAt), kind: "error", text: words === "" ? "error" : words };
  return { at: Date.parse(receivedAt), kind: "beat", text: words };
}

function cycleMoments({ number, beganAt, endedAt, outcome }: CycleView): TimelineEntry[] {
  const began: TimelineEntry = { at: Date.parse(beganAt), kind: "cycle", text: `cycle ${number} began` };
  if (endedAt === null) return [began];
  return [
    { at: Date.parse(endedAt), kind: "cycle", text: `cycle ${number} ended: ${outcome ?? "?"}` },
    began,
  ];
}

function incidentMoments({ id, openedAt, why, acknowledged, resolved }: IncidentView): TimelineEntry[] {
  const of = (at: string, text: string): TimelineEntry => ({
    at: Date.parse(at),
    kind: "incident",
    text,
    incident: id,
  });
  const moments = [of(openedAt, `incident opened: ${why}`)];
  if (acknowledged !== null) moments.push(of(acknowledged.at, `acknowledged by ${acknowledged.by}`));
  if (resolved !== null) moments.push(of(resolved.at, `resolved: ${resolved.why}`));
  return moments;
}

function together(moments: readonly TimelineEntry[]): TimelineEntry[] {
  const list: TimelineEntry[] = [];
  for (const moment of moments) {
    const last = list.at(-1);
    if (moment.kind !== "beat" || last?.kind !== "beat") list.push(moment);
    else
      list[list.length - 1] = {
        ...last,
        at: moment.at,
        until: last.until ?? last.at,
        count: (last.count ?? 1) + 1,
      };
  }
  return list;
}
