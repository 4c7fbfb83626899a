import { groupOf } from "../core/agent.ts";
import type { Instant, Millis } from "../core/duration.ts";
import { type Incident, isOpen } from "../core/incident/incident.ts";
import {
  isHeld,
  isRipe,
  joined,
  massAt,
  massIncident,
  massIsOver,
  mayJoin,
  released,
} from "../core/incident/mass.ts";
import { type DeskDraft, keyOf, SLICE, type Turn } from "./desk-draft.ts";
import type { RollPlace } from "./roll-place.ts";
import { type Silent, silentFor, silentSince } from "./silent.ts";

/** Many who fall silent at once are one incident, which speaks for them until it ends. */
export class Masses {
  readonly #known: ReadonlyMap<string, Incident>;
  readonly #silent: Silent;
  readonly #putOff: (key: string, until: Instant) => void;

  /** `known` are the incidents of the desk by their keys, `putOff` lets the desk look at one again. */
  constructor(
    known: ReadonlyMap<string, Incident>,
    silent: Silent,
    putOff: (key: string, until: Instant) => void,
  ) {
    this.#known = known;
    this.#silent = silent;
    this.#putOff = putOff;
  }

  /** Gathers those who fell silent, and ends what is over. */
  respond(turn: Turn, draft: DeskDraft, hold: Millis): void {
    const touched = new Map<string, Incident[]>();
    for (const incident of draft.incidents.values()) {
      if (!isHeld(incident)) continue;
      const list = touched.get(incident.group);
      if (list === undefined) touched.set(incident.group, [incident]);
      else list.push(incident);
    }
    for (const [group, held] of touched) this.#gather(group, held, turn, draft, hold);
    for (const [key, silent] of this.#silentIn(draft)) {
      const incident = draft.incidents.get(key) ?? this.#known.get(key);
      if (incident !== undefined && isOpen(incident) && massIsOver(incident, silent, turn.now))
        this.#massAt(incident, turn.now, draft);
    }
  }

  /**
   * Makes one incident of those of a group that are held, or lets them join it. `touched` are those that this turn
   * touches: among them is everyone whose hold ends now.
   */
  #gather(group: string, touched: readonly Incident[], turn: Turn, draft: DeskDraft, hold: Millis): void {
    const key = `group ${group}`;
    const present = draft.incidents.get(key) ?? this.#known.get(key);
    const open = present !== undefined && isOpen(present) ? present : undefined;
    const others = this.#silent.held(group);
    const joins = open !== undefined && mayJoin(open, touched.length + others.size);
    if (!joins && !isRipe(touched, hold, turn.now)) return;
    const silent = [...touched];
    for (const [subject, each] of others) if (!draft.incidents.has(subject)) silent.push(each);
    const size = sizeOf(group, turn.places());
    const together = open === undefined ? massIncident(group, size, silent, hold, turn.now) : open;
    if (together === undefined) return;
    const joining = this.#firstOf(
      open === undefined ? membersAmong(silent, together) : silent,
      touched.length,
      turn.now,
    );
    const names = joining.map(({ subject }) => subject);
    const mass = open === undefined ? { ...together, members: names.sort() } : joined(open, names, size);
    draft.put(key, mass);
    for (const each of joining) draft.put(keyOf(each), { ...each, spokenForBy: mass.id });
  }

  /** The first of those who fell silent, and never fewer than this turn touches; the others have their turn in the next. */
  #firstOf(silent: readonly Incident[], touched: number, now: Instant): readonly Incident[] {
    const most = Math.max(SLICE, touched);
    for (const later of silent.slice(most)) this.#putOff(keyOf(later), now);
    return silent.slice(0, most);
  }

  /** The groups' incidents that this turn touches, themselves or by a member, with how many of their members are silent. */
  #silentIn(draft: DeskDraft): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    const touch = (key: string, more: number, id?: string): void => {
      const mass = draft.incidents.get(key) ?? this.#known.get(key);
      // A member of an earlier incident of the group counts for that one.
      if (mass === undefined || mass.id !== (id ?? mass.id)) return;
      counts.set(key, (counts.get(key) ?? this.#silent.count(mass.id)) + more);
    };
    for (const [key, incident] of draft.incidents) {
      if (incident.kind === "group") touch(key, 0);
      for (const [id, more] of silentSince(this.#known.get(key), incident))
        touch(`group ${incident.group}`, more, id);
    }
    return counts;
  }

  #massAt(incident: Incident, now: Instant, draft: DeskDraft): void {
    const members = this.spokenForBy(incident, draft);
    const silent = members
      .filter((member) => silentFor(member) === incident.id)
      .map(({ subject }) => subject);
    const after = massAt(incident, silent, now);
    if (after === incident) return;
    draft.put(keyOf(incident), after);
    if (isOpen(after)) return;
    for (const member of members) draft.put(keyOf(member), released(member, incident.told, now));
  }

  spokenForBy({ id, members = [] }: Incident, draft: DeskDraft): readonly Incident[] {
    return members.flatMap((agent) => {
      const key = `agent ${agent}`;
      const member = draft.incidents.get(key) ?? this.#known.get(key);
      return member?.spokenForBy === id ? [member] : [];
    });
  }
}

function membersAmong(silent: readonly Incident[], { members }: Incident): readonly Incident[] {
  const named = new Set(members);
  return silent.filter(({ subject }) => named.has(subject));
}

function sizeOf(group: string, places: Iterable<RollPlace>): number {
  let size = 0;
  for (const { agent } of places) if (groupOf(agent) === group) size += 1;
  return size;
}
