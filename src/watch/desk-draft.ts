import type { Delivery } from "../core/delivery/delivery.ts";
import type { Instant } from "../core/duration.ts";
import type { Incident } from "../core/incident/incident.ts";
import type { Policy, Silence } from "../core/incident/policy.ts";
import type { Flip } from "../core/liveness/verdict.ts";
import type { RollPlace } from "./roll-place.ts";

/** What a turn brings to the desk. */
export interface Turn {
  readonly now: Instant;
  readonly flips: readonly Flip[];
  readonly removed: readonly string[];
  /** The deliveries that others decided: the courier's claims are among them. */
  readonly deliveries: readonly Delivery[];
  /** Whether time counts: while we take up what waited for us, and while we cannot store, only flips do. */
  readonly judging: boolean;
  /** Another policy, if one comes into force with this turn. */
  readonly policy?: Policy | undefined;
  readonly places: () => Iterable<RollPlace>;
  readonly find: (agent: string) => RollPlace | undefined;
}

/** So many incidents are taken into one turn: with everybody dead at once, others must get their turn in between. */
export const SLICE = 256;

/** What one turn would change at the desk. */
export class DeskDraft {
  readonly incidents = new Map<string, Incident>();
  readonly silences = new Map<string, Silence>();
  /** Incidents that are over and make room for a new one of the same subject. */
  readonly replaced: Incident[] = [];
  /** What is told of those that made room. */
  readonly deliveries: Delivery[] = [];
  readonly #next = new Map<string, Instant>();
  readonly #subjects = new Map<string, string>();

  get isEmpty(): boolean {
    return this.incidents.size === 0 && this.silences.size === 0;
  }

  put(key: string, incident: Incident, next: Instant = 0): void {
    this.incidents.set(key, incident);
    this.#subjects.set(incident.id, key);
    this.#next.set(key, next);
  }

  touch(key: string, incident: Incident | undefined): void {
    if (incident !== undefined && !this.incidents.has(key)) this.put(key, incident);
  }

  nextOf(key: string): Instant | undefined {
    return this.#next.get(key);
  }

  subjectOf(id: string): string | undefined {
    return this.#subjects.get(id);
  }
}

export function keyOf({ kind, subject }: Pick<Incident, "kind" | "subject">): string {
  return `${kind} ${subject}`;
}
