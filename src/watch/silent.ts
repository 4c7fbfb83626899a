import { type Incident, isOpen } from "../core/incident/incident.ts";
import { isHeld } from "../core/incident/mass.ts";

const NONE: ReadonlyMap<string, Incident> = new Map();

/**
 * The incidents that are held back, by group, and how many members of each group's incident are silent. Both are kept up
 * to date with each commit, so that a step costs what it changes and not what is open: in a mass death that is everybody.
 */
export class Silent {
  readonly #held = new Map<string, Map<string, Incident>>();
  readonly #counts = new Map<string, number>();

  /** The incident of a subject was replaced by another; either may be missing. */
  replace(key: string, before: Incident | undefined, after: Incident | undefined): void {
    if (before !== undefined && isHeld(before)) this.#let(before.group, key);
    if (after !== undefined && isHeld(after)) {
      const group = this.#held.get(after.group) ?? new Map<string, Incident>();
      this.#held.set(after.group, group.set(key, after));
    }
    for (const [id, more] of silentSince(before, after)) this.#add(id, more);
  }

  /** The held ones of a group, by subject. */
  held(group: string): ReadonlyMap<string, Incident> {
    return this.#held.get(group) ?? NONE;
  }

  /** How many are silent of those that a group's incident speaks for. */
  count(mass: string): number {
    return this.#counts.get(mass) ?? 0;
  }

  #let(group: string, key: string): void {
    const held = this.#held.get(group);
    held?.delete(key);
    if (held?.size === 0) this.#held.delete(group);
  }

  #add(mass: string, more: number): void {
    const count = this.count(mass) + more;
    if (count === 0) this.#counts.delete(mass);
    else this.#counts.set(mass, count);
  }
}

/** By how many more or fewer silent members a group's incident speaks for, when a member's incident changes. */
export function silentSince(
  before: Incident | undefined,
  after: Incident | undefined,
): readonly (readonly [mass: string, more: 1 | -1])[] {
  const [was, is] = [silentFor(before), silentFor(after)];
  if (was === is) return [];
  return [
    ...(was === undefined ? [] : [[was, -1] as const]),
    ...(is === undefined ? [] : [[is, 1] as const]),
  ];
}

/** The group's incident that a silent member counts for. One that flaps is back as soon as it is well. */
export function silentFor(member: Incident | undefined): string | undefined {
  if (member === undefined || !isOpen(member) || member.calmSince !== undefined) return undefined;
  return member.spokenForBy;
}
