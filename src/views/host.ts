import { type Instant, iso, SECOND } from "../core/duration.ts";
import type { KnownHost } from "../core/host/host.ts";
import type { State } from "../core/liveness/state.ts";

/** A host as readers see it. */
export interface HostView {
  readonly name: string;
  readonly kind: KnownHost["kind"];
  /** Of the agent that stands for it; null before it was heard. */
  readonly state: State | null;
  readonly why: string | null;
  readonly lastContactAt: string | null;
  readonly joinedAt: string;
  readonly version: string;
  /** What is added to its times, in milliseconds to the second: how far its clock is behind the hub's. */
  readonly clockOffset: number | null;
  /** How many facts wait on the host, and how many it had to drop. */
  readonly backlog: number;
  readonly dropped: number;
  /** How many of its agents are in each state. */
  readonly agents: Readonly<Partial<Record<State, number>>>;
}

export interface HostStanding {
  readonly state: State;
  readonly why: string;
  readonly heardAt: Instant | undefined;
}

export function showHost(
  { name, kind, joinedAt, version, offset, backlog, dropped }: KnownHost,
  standing: HostStanding | undefined,
  agents: HostView["agents"],
): HostView {
  return {
    name,
    kind,
    state: standing?.state ?? null,
    why: standing?.why ?? null,
    lastContactAt: standing?.heardAt === undefined ? null : iso(standing.heardAt),
    joinedAt: iso(joinedAt),
    version,
    clockOffset: offset === undefined ? null : Math.round(offset.used / SECOND) * SECOND,
    backlog: backlog ?? 0,
    dropped: dropped ?? 0,
    agents,
  };
}
