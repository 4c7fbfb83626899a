import type { Agent } from "../core/agent.ts";
import type { Cycle } from "../core/cycle/cycle.ts";
import type { Instant, Millis } from "../core/duration.ts";
import { redated } from "../core/host/clock-offset.ts";
import { type HostEntry, hostAgent, hubName } from "../core/host/fact.ts";
import { CONTACT_RULE, type KnownHost } from "../core/host/host.ts";
import type { Episode } from "../core/incident/episode.ts";
import { HOSTS } from "../core/incident/incident.ts";
import type { Contact, HostVerdict, Observation } from "../core/liveness/observation.ts";
import type { Recovery } from "../core/recovery/recovery.ts";
import type { StoredRecord } from "../ports/repositories.ts";
import type { RollPlace } from "./roll-place.ts";

/** The agent that stands for a host. Its marks are its beats. */
export function agentForHost({ name, kind, joinedAt }: KnownHost): Agent {
  return {
    id: hostAgent(name),
    name,
    group: HOSTS,
    rule: CONTACT_RULE,
    origin: "host",
    hostKind: kind,
    addedAt: joinedAt,
  };
}

/** An agent of a host, as this roll has it. Who judges it says when it was added. */
export function agentOfHost(
  { id, name, group: own, since }: HostEntry,
  { name: host, group = own }: Pick<KnownHost, "name" | "group">,
  offset: Millis,
  now: Instant,
): Agent {
  return {
    id: hubName(id, host),
    ...(name === undefined ? {} : { name }),
    ...(group === undefined ? {} : { group }),
    origin: "host",
    host,
    addedAt: Math.min(since + offset, now),
  };
}

/** A sign of life of a host. */
export function markOf(at: Instant): Observation {
  return { kind: "beat", signal: "beat", at, firstAt: at, source: "agent", status: "ok" };
}

export function recordOf(host: KnownHost): StoredRecord<"host"> {
  return {
    kind: "host",
    id: host.name,
    at: host.joinedAt,
    about: host.name,
    current: host.revokedAt === undefined,
    body: host,
  };
}

/** The place after its host's word, which replaces the last one. Words come in their order, so the newest is the truth. */
export function withVerdict(place: RollPlace, entry: HostEntry, offset: Millis, now: Instant): RollPlace {
  const last = place.entry.observations.find((fact) => fact.kind === "verdict");
  const { state, reason, why, since, lastBeatAt, cycle, action, canStep } = entry;
  const verdict: HostVerdict = {
    kind: "verdict",
    signal: "host",
    at: Math.min(since + offset, now),
    // Each word is newer than the last, so that a verdict sees that it is another one.
    seenAt: Math.max(now, (last?.kind === "verdict" ? last.seenAt : 0) + 1),
    ...{ state, reason, why: redated(why, offset) },
    ...(lastBeatAt === undefined ? {} : { lastBeatAt: Math.min(lastBeatAt + offset, now) }),
    ...(cycle === undefined ? {} : { cycle }),
    ...(action === undefined ? {} : { action }),
    ...(canStep === true ? { canStep } : {}),
  };
  return withFact(place, verdict);
}

export function withContact(place: RollPlace, at: Instant, lost: boolean): RollPlace {
  const known = place.entry.observations.find((fact) => fact.kind === "contact");
  if (known?.kind === "contact" ? known.lost === lost : !lost) return place;
  const contact: Contact = { kind: "contact", signal: "host", at, lost };
  return withFact(place, contact);
}

function withFact(place: RollPlace, fact: Observation): RollPlace {
  const observations = [...place.entry.observations.filter(({ kind }) => kind !== fact.kind), fact];
  return { ...place, entry: { ...place.entry, observations } };
}

/** An episode of a host's agent by our names and our clock. */
export function episodeHere(episode: Episode, host: string, offset: Millis, now: Instant): Episode {
  const here = (at: Instant) => Math.min(at + offset, now);
  const { resolved, calmSince, againAt, findings } = episode;
  return {
    ...episode,
    id: hubName(episode.id, host),
    subject: hubName(episode.subject, host),
    host,
    why: redated(episode.why, offset),
    since: here(episode.since),
    noticedAt: here(episode.noticedAt),
    openedAt: here(episode.openedAt),
    episodes: episode.episodes.map(here),
    ...(againAt === undefined ? {} : { againAt: here(againAt) }),
    ...(calmSince === undefined ? {} : { calmSince: here(calmSince) }),
    ...(findings === undefined ? {} : { findings: { ...findings, at: here(findings.at) } }),
    ...(resolved === undefined ? {} : { resolved: { ...resolved, at: here(resolved.at) } }),
  };
}

export function recoveryHere(recovery: Recovery, host: string, offset: Millis): Recovery {
  const { plannedAt, startedAt, endedAt } = recovery;
  return {
    ...recovery,
    id: hubName(recovery.id, host),
    incident: hubName(recovery.incident, host),
    agent: hubName(recovery.agent, host),
    plannedAt: plannedAt + offset,
    ...(startedAt === undefined ? {} : { startedAt: startedAt + offset }),
    ...(endedAt === undefined ? {} : { endedAt: endedAt + offset }),
  };
}

export function cycleHere(cycle: Cycle, host: string, offset: Millis): Cycle {
  const { agent, beganAt, lastAt, endedAt } = cycle;
  return {
    ...cycle,
    agent: hubName(agent, host),
    beganAt: beganAt + offset,
    lastAt: lastAt + offset,
    ...(endedAt === undefined ? {} : { endedAt: endedAt + offset }),
  };
}
