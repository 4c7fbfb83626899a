import { groupOf } from "../core/agent.ts";
import type { Delivery, Held } from "../core/delivery/delivery.ts";
import type { Message } from "../core/delivery/message.ts";
import { type Instant, MINUTE } from "../core/duration.ts";
import { advance, type Circumstances, heldBack, isTold } from "../core/incident/agenda.ts";
import { withEpisode } from "../core/incident/episode.ts";
import {
  hostOf,
  type Incident,
  isLookedInto,
  isOfInterest,
  isOpen,
  type Told,
} from "../core/incident/incident.ts";
import { isHeld, massEndsBy, rebootIncident } from "../core/incident/mass.ts";
import { defaultPolicy, type Policy, type Silence } from "../core/incident/policy.ts";
import { acknowledge, resolve, respond } from "../core/incident/respond.ts";
import { askedNow, isOccasion, wordsFor } from "../core/incident/words.ts";
import type { Flip } from "../core/liveness/verdict.ts";
import type { StoredRecord } from "../ports/repositories.ts";
import type { IncidentChange, Persistable, Snapshot } from "../ports/store.ts";
import { Deadlines } from "./deadlines.ts";
import { type DeskDraft, keyOf, SLICE, type Turn } from "./desk-draft.ts";
import { type HostReport, RollError } from "./intent.ts";
import { Masses } from "./masses.ts";
import { episodeHere } from "./mirror.ts";
import { Silent } from "./silent.ts";

/** How often it is asked whether the cause of an incident is over. */
const CAUSE_AGAIN = MINUTE;

/** What an operator, or a part of the watcher, asks of the desk. */
export type IncidentCommand =
  | { readonly kind: "silence"; readonly silence: Silence }
  | { readonly kind: "end-silence"; readonly id: string }
  | AboutIncident;

type AboutIncident =
  | { readonly kind: "acknowledge" | "resolve"; readonly id: string; readonly by: string }
  /** The first findings of an opening stay. */
  | {
      readonly kind: "attach";
      readonly id: string;
      readonly parts: Pick<Incident, "findings" | "issue" | "asked">;
    }
  /** An open incident says something else. It is told to all who heard of it if it is news; `to` has heard it already. */
  | {
      readonly kind: "restate";
      readonly id: string;
      readonly why: string;
      readonly isNews: boolean;
      readonly to?: readonly string[];
    };

/**
 * Where flips become incidents, and incidents deliveries. Like the roll it changes nothing before the commit: a turn is
 * answered with what would be stored, and `apply` makes that the truth.
 */
export class IncidentDesk {
  #circumstances: Circumstances;
  /** By subject: the incident that is open, or the last one while it is of interest. */
  readonly #incidents = new Map<string, Incident>();
  /** The subject of each of them, by the incident's id. */
  readonly #subjects = new Map<string, string>();
  readonly #silent = new Silent();
  readonly #next = new Deadlines();
  readonly #masses = new Masses(this.#incidents, this.#silent, (key, until) => {
    this.#next.set(key, until);
    this.#nextAt = undefined;
  });
  readonly #silences = new Map<string, Silence>();
  #nextAt: Instant | undefined;

  constructor({ incidents, records }: Pick<Snapshot, "incidents" | "records">, policy = defaultPolicy([])) {
    this.#circumstances = { policy, silences: [] };
    this.apply({ incidents: incidents.map((incident) => ({ incident, ofInterest: true })), records });
  }

  get policy(): Policy {
    return this.#circumstances.policy;
  }

  set policy(policy: Policy) {
    this.#circumstances = { ...this.#circumstances, policy };
    this.allDue();
  }

  /** Another policy may have something to say of each of them, and a clock that was set says nothing of when. */
  allDue(): void {
    for (const key of this.#incidents.keys()) this.#next.set(key, 0);
    this.#nextAt = undefined;
  }

  get incidents(): IterableIterator<Incident> {
    return this.#incidents.values();
  }

  get silences(): IterableIterator<Silence> {
    return this.#silences.values();
  }

  /** When there is next something to do, if nothing happens before. */
  get nextAt(): Instant {
    this.#nextAt ??= this.#next.first();
    return this.#nextAt;
  }

  /** A host that came back: one incident says so. */
  rebooted(host: string, now: Instant): Persistable {
    const { incident, deliveries } = advance(rebootIncident(host, now), this.#circumstances, now);
    const over = resolve(incident, { at: now, how: "over", why: "told" });
    return { incidents: [changeOf({ ...over, told: {} }, now)], deliveries };
  }

  /** What a turn would change. Commands have been taken with `take` before. */
  respond(turn: Turn, draft: DeskDraft): Persistable {
    for (const delivery of turn.deliveries) this.#claimed(delivery, draft);
    // Most turns are beats of healthy agents: they cost nothing here.
    const quiet = turn.flips.length === 0 && turn.removed.length === 0 && draft.isEmpty;
    if (quiet && (!turn.judging || this.nextAt > turn.now)) return {};
    // Who was removed may be there again: then the flips are those of a new life.
    for (const agent of turn.removed) this.#remove(agent, turn, draft);
    for (const flip of turn.flips) this.#flip(flip, turn, draft);
    const { policy = this.#circumstances.policy } = turn;
    if (turn.judging) {
      this.#next.scan(turn.now, (key) => draft.touch(key, this.#incidents.get(key)), SLICE);
      for (const [key, incident] of draft.incidents) {
        const group = groupNow(incident, turn);
        if (group !== incident.group) draft.put(key, { ...incident, group });
      }
      this.#masses.respond(turn, draft, policy.hold);
    }
    const deliveries = [...draft.deliveries];
    const circumstances = { policy, silences: [...this.#silencesWith(draft)] };
    for (const [key, incident] of draft.incidents) {
      if (this.#hasCause(incident, policy, draft)) {
        draft.put(key, incident, turn.now + CAUSE_AGAIN);
        continue;
      }
      const outcome = advance(incident, circumstances, turn.now);
      draft.put(key, outcome.incident, nextFor(outcome.incident, outcome.next, circumstances, turn.now));
      deliveries.push(...outcome.deliveries);
    }
    for (const [id, silence] of this.#silences) {
      if (silence.until <= turn.now && !draft.silences.has(id)) draft.silences.set(id, silence);
    }
    return {
      incidents: [
        ...draft.replaced.map((incident) => ({ incident, ofInterest: false })),
        ...[...draft.incidents.values()].map((incident) => changeOf(incident, turn.now)),
      ],
      records: [...draft.silences.values()].map((silence) => silenceRecord(silence, turn.now)),
      deliveries,
    };
  }

  /** Whether an agent that this one needs is in trouble, and that is told. What was told of already goes on being told. */
  #hasCause(incident: Incident, policy: Policy, draft: DeskDraft): boolean {
    if (incident.kind !== "agent" || !isOpen(incident) || Object.keys(incident.told).length > 0) return false;
    return (policy.needs?.(incident.subject) ?? []).some((needed) => {
      const key = `agent ${needed}`;
      const cause = draft.incidents.get(key) ?? this.#incidents.get(key);
      return cause !== undefined && isOpen(cause) && isTold(cause, policy);
    });
  }

  /**
   * The first message about a group waits for others to go out with it. More members may fall silent meanwhile, and it
   * must not leave with an old count.
   */
  restated(delivery: Delivery, now: Instant): Delivery {
    const { policy } = this.#circumstances;
    const own = this.#incidents.get(`agent ${delivery.about}`);
    if (own !== undefined && own.id === delivery.incident && isOpen(own) && askedNow(own) !== undefined)
      return delivery.change === own.change
        ? { ...delivery, message: reworded(delivery, own, now, policy) }
        : delivery;
    const incident = this.#incidents.get(`group ${delivery.about}`);
    if (delivery.says !== "opened" || incident === undefined || incident.id !== delivery.incident)
      return delivery;
    if (!isOpen(incident) || incident.change === delivery.change) return delivery;
    return { ...delivery, change: incident.change, message: wordsFor(incident, "opened", now, policy) };
  }

  /**
   * What holds a delivery back, because its agent was muted after it was queued, for example. What was attempted may have
   * arrived: it is sent again whatever was muted since.
   */
  held(delivery: Delivery, now: Instant): Held | undefined {
    const { about, incident: id, state, attempts, batch, must } = delivery;
    if (state !== "pending" || attempts > 0 || batch !== undefined || must === true) return undefined;
    const incident = [this.#incidents.get(`agent ${about}`), this.#incidents.get(`group ${about}`)].find(
      (each) => each !== undefined && each.id === id,
    );
    const circumstances = { ...this.#circumstances, silences: [...this.#silences.values()] };
    return incident && heldBack(incident, circumstances, now);
  }

  /** A message that leaves with a newer count has told its place of that change: no update needs to follow. */
  #claimed({ state, about, incident: id, to, change = 0 }: Delivery, draft: DeskDraft): void {
    if (state !== "sending") return;
    const key = `group ${about}`;
    const incident = draft.incidents.get(key) ?? this.#incidents.get(key);
    const told = incident?.told[to];
    if (incident === undefined || incident.id !== id || told === undefined || told.change >= change) return;
    draft.put(key, { ...incident, told: { ...incident.told, [to]: { ...told, change } } });
  }

  /** Takes a command into the draft of a turn, or refuses it. */
  take(command: IncidentCommand, now: Instant, draft: DeskDraft): void {
    if (command.kind === "silence") return this.#silence(command.silence, draft);
    const { id } = command;
    if (command.kind === "end-silence") {
      const silence = draft.silences.get(id) ?? this.#silences.get(id);
      if (silence === undefined || silence.until <= now)
        throw new RollError(
          "no-such-silence",
          `there is no active mute "${id}"; \`rollcall silence list\` shows them`,
        );
      return this.#silence({ ...silence, until: now }, draft);
    }
    const key = draft.subjectOf(id) ?? this.#subjects.get(id);
    const incident = key === undefined ? undefined : (draft.incidents.get(key) ?? this.#incidents.get(key));
    if (key === undefined || incident?.id !== id)
      throw new RollError("no-such-incident", `there is no open incident "${id}"`);
    if (command.kind === "resolve") this.#resolve(incident, command.by, now, draft);
    else draft.put(key, commanded(incident, command, now));
  }

  #silence(silence: Silence, draft: DeskDraft): void {
    draft.silences.set(silence.id, silence);
    for (const [key, incident] of this.#incidents) draft.touch(key, incident);
  }

  #resolve(incident: Incident, by: string, now: Instant, draft: DeskDraft): void {
    if (!isOpen(incident)) return;
    const end = { at: now, how: "by-hand", why: `resolved by ${by}`, by } as const;
    // Whoever closes a group's incident knows of its members: nobody would ever tell of them again.
    for (const each of [...this.#masses.spokenForBy(incident, draft), incident])
      if (isOpen(each)) draft.put(keyOf(each), resolve(each, end));
  }

  /** Takes the episodes that a host tells of. */
  hear({ host, facts }: HostReport, now: Instant, draft: DeskDraft): void {
    const { name, offset, renamedTo } = host(now);
    if (renamedTo !== undefined) this.#rename(name, renamedTo, now, draft);
    for (const fact of facts) {
      if (fact.k !== "episode") continue;
      const episode = episodeHere(fact.episode, name, offset?.used ?? 0, now);
      const key = keyOf(episode);
      let last = draft.incidents.get(key) ?? this.#incidents.get(key);
      // The end of one that we let go, or never heard of, is no news when it is told again.
      const { resolved } = fact.episode;
      const isOld = resolved !== undefined && Math.abs(fact.at - resolved.at) > MINUTE;
      if (isOld && last?.id !== episode.id && (last === undefined || !isOpen(last))) continue;
      if (last !== undefined && last.id !== episode.id) {
        last = this.#replace(last, now, draft);
        draft.replaced.push(last);
      }
      const { hold } = this.#circumstances.policy;
      const incident = withEpisode(last, episode, now, { hold, told: fact.episode });
      draft.put(key, incident);
    }
  }

  /** What is still wrong is told anew under the new name: that of the old one must not say that it is over. */
  #rename(name: string, to: string, now: Instant, draft: DeskDraft): void {
    const why = `host ${name} is called ${to} now; if the trouble goes on, another alert names ${to}`;
    for (const [key, incident] of this.#incidents)
      if (isOpen(incident) && hostOf(incident) === name && !draft.incidents.has(key))
        draft.put(key, resolve(incident, { at: now, how: "renamed", why }));
  }

  /** The last incident of an agent of which its host tells a later one. What is over is told as over before that. */
  #replace(last: Incident, now: Instant, draft: DeskDraft): Incident {
    if (isOpen(last)) return resolve(last, { at: now, how: "over", why: "its host told of a later one" });
    const silences = [...this.#silencesWith(draft)];
    const { incident, deliveries } = advance(last, { ...this.#circumstances, silences }, now);
    draft.deliveries.push(...deliveries);
    return incident;
  }

  /** Makes what was committed the truth. */
  apply({ incidents = [], records = [] }: Persistable, draft?: DeskDraft): void {
    for (const { kind, body, current } of records) {
      if (kind !== "silence") continue;
      if (current) this.#silences.set(body.id, body);
      else this.#silences.delete(body.id);
    }
    for (const { incident, ofInterest } of incidents) {
      this.#nextAt = undefined;
      const key = keyOf(incident);
      const before = this.#incidents.get(key);
      if (ofInterest) {
        if (before !== undefined) this.#subjects.delete(before.id);
        this.#subjects.set(incident.id, key);
        this.#incidents.set(key, incident);
        this.#silent.replace(key, before, incident);
        this.#next.set(key, draft?.nextOf(key) ?? 0);
      } else if (before?.id === incident.id) {
        // An older one of the same subject that is let go takes nothing away from the newer.
        this.#subjects.delete(incident.id);
        this.#incidents.delete(key);
        this.#silent.replace(key, before, undefined);
        this.#next.delete(key);
      }
    }
  }

  #flip(flip: Flip, { find }: Turn, draft: DeskDraft): void {
    const key = `agent ${flip.agent}`;
    const place = find(flip.agent);
    // What becomes of an agent of another host, that host says; nobody is told of a laptop that sleeps.
    if (place === undefined || place.agent.host !== undefined) return;
    if (place.agent.hostKind !== undefined && place.agent.hostKind !== "server") return;
    const incident = draft.incidents.get(key) ?? this.#incidents.get(key);
    const changed = respond(incident, flip, groupOf(place.agent));
    if (changed === undefined) return;
    draft.put(key, changed);
    if (incident !== undefined && incident.id !== changed.id) draft.replaced.push(incident);
  }

  #remove(agent: string, { now, find }: Turn, draft: DeskDraft): void {
    const key = `agent ${agent}`;
    const incident = draft.incidents.get(key) ?? this.#incidents.get(key);
    if (incident === undefined || !isOpen(incident)) return;
    // Of an agent of another host that is there again, that host said what became of it.
    if (incident.host !== undefined && find(agent) !== undefined) return;
    draft.put(
      key,
      resolve(incident, { at: now, how: "removed", why: "the agent was removed from the roll" }),
    );
  }

  *#silencesWith(draft: DeskDraft): Generator<Silence> {
    yield* draft.silences.values();
    for (const [id, silence] of this.#silences) if (!draft.silences.has(id)) yield silence;
  }
}

/** The group that an agent's incident counts for: a reload may have moved the agent since the incident opened. */
function groupNow({ kind, subject, host, spokenForBy, group }: Incident, { find }: Turn): string {
  // The host of an agent says its group; and a member is counted where its group's incident is.
  if (kind !== "agent" || host !== undefined || spokenForBy !== undefined) return group;
  const place = find(subject);
  return place === undefined ? group : groupOf(place.agent);
}

/** The same message with the question, which was read after the message was queued. */
function reworded({ message }: Delivery, incident: Incident, now: Instant, policy: Policy): Message {
  const { occasion } = message.data ?? {};
  return isOccasion(occasion) ? wordsFor(incident, occasion, now, policy) : message;
}

function commanded(incident: Incident, command: AboutIncident, now: Instant): Incident {
  if (command.kind === "attach") {
    const { findings, ...parts } = command.parts;
    const isFirst = findings !== undefined && !isLookedInto(incident);
    return { ...incident, ...parts, ...(isFirst ? { findings } : {}) };
  }
  if (command.kind !== "restate") return acknowledge(incident, command.by, now);
  const { why, isNews, to = [] } = command;
  if (!isOpen(incident)) return incident;
  const change = isNews ? incident.change + 1 : incident.change;
  const heard = to.map((place): [string, Told] => [place, { change, at: now, reminders: 0 }]);
  return { ...incident, why, change, told: { ...incident.told, ...Object.fromEntries(heard) } };
}

function nextFor(incident: Incident, next: Instant, { policy }: Circumstances, now: Instant): Instant {
  // Whether many fell silent at once is asked when the hold ends, also of those that are told later or never.
  const holdEnds = incident.noticedAt + policy.hold;
  if (isHeld(incident) && holdEnds > now) return Math.min(next, holdEnds);
  if (incident.kind === "group" && isOpen(incident)) return Math.min(next, massEndsBy(incident));
  // One that is over is let go when it is no longer of interest.
  if (incident.resolved !== undefined) return Math.min(next, incident.resolved.at + OF_INTEREST);
  return next;
}

/** Its end was lost on the way: a later one of the same agent shows that it is over. */
const OF_INTEREST = 24 * 60 * 60_000;

function changeOf(incident: Incident, now: Instant): IncidentChange {
  return { incident, ofInterest: isOfInterest(incident, now) || Object.keys(incident.told).length > 0 };
}

function silenceRecord(silence: Silence, now: Instant): StoredRecord<"silence"> {
  return {
    kind: "silence",
    id: silence.id,
    at: silence.from,
    about: silence.agents,
    current: silence.until > now,
    body: silence,
  };
}
