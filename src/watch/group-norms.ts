import { type Agent, groupOf } from "../core/agent.ts";
import type { Instant } from "../core/duration.ts";
import { type Trust, trusted } from "../core/liveness/trust.ts";
import type { Flip } from "../core/liveness/verdict.ts";
import { dayIsOver, type Norm, newNorm, steered, withFalseAlarm } from "../core/rhythm/norm.ts";
import type { StoredRecord } from "../ports/repositories.ts";
import type { RollPlace } from "./roll-place.ts";

/**
 * The norms of all groups: how generous their limits are, and what their young borrow. A stall that ended by itself
 * was a false alarm; once a day each group's margin is steered by how many there were. Nothing changes before it is
 * committed: `after` says what would be, `apply` makes it so.
 */
export class GroupNorms {
  readonly #norms = new Map<string, Norm>();

  constructor(records: readonly StoredRecord[]) {
    this.apply(records);
  }

  of(agent: Agent): Norm {
    const group = groupOf(agent);
    return this.#norms.get(group) ?? newNorm(group, 0);
  }

  /** What the flips of a step and the days that are over change. */
  after(
    flips: readonly Flip[],
    find: (agent: string) => RollPlace | undefined,
    now: Instant,
    trust: Trust,
  ): StoredRecord[] {
    if (flips.length === 0) return [];
    const at = trusted(trust, now);
    const changed = new Map<string, Norm>();
    for (const flip of flips) {
      const place = find(flip.agent);
      if (place === undefined || !endedByItself(flip)) continue;
      const group = groupOf(place.agent);
      changed.set(group, withFalseAlarm(changed.get(group) ?? this.#norms.get(group) ?? newNorm(group, at)));
    }
    return [...changed].map(([group, norm]) => recordOf(group, norm, now));
  }

  /** The groups whose day is over, with their norms for the next; a group that is new begins its first day. */
  daily(places: Iterable<RollPlace>, now: Instant, trust: Trust): StoredRecord[] {
    const at = trusted(trust, now);
    const groups = new Map<string, RollPlace[]>();
    for (const place of places) {
      if (place.entry.rhythm === undefined) continue;
      const group = groupOf(place.agent);
      const members = groups.get(group);
      if (members === undefined) groups.set(group, [place]);
      else members.push(place);
    }
    return [...groups].flatMap(([group, members]) => {
      const norm = this.#norms.get(group);
      if (norm === undefined) return [recordOf(group, newNorm(group, at), now)];
      if (!dayIsOver(norm, at)) return [];
      const rhythms = members.flatMap(({ entry }) => entry.rhythm ?? []);
      return [recordOf(group, steered(norm, rhythms, at), now)];
    });
  }

  apply(records: readonly StoredRecord[]): void {
    for (const { kind, body } of records) if (kind === "norm") this.#norms.set(body.group, body);
  }
}

/** It went on without anybody's help. */
function endedByItself({ from, to }: Flip): boolean {
  return from === "stalled" && (to === "alive" || to === "resting");
}

function recordOf(group: string, body: Norm, at: Instant): StoredRecord<"norm"> {
  return { kind: "norm", id: group, at, about: group, current: true, body };
}
