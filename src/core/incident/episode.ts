import type { Instant, Millis } from "../duration.ts";
import { MINUTE } from "../duration.ts";
import type { Incident } from "./incident.ts";

/** What the judge writes of an incident. */
export type Episode = Omit<Incident, keyof Telling>;

/** What the teller writes of it. */
export type Telling = Pick<
  Incident,
  "acknowledged" | "told" | "escalatedAt" | "spokenForBy" | "members" | "issue" | "past"
>;

export function episodeOf(incident: Incident): Episode {
  const {
    acknowledged: _,
    told: __,
    escalatedAt: ___,
    spokenForBy: ____,
    members: _____,
    issue: ______,
    past: _______,
    ...episode
  } = incident;
  return episode;
}

/** An end that reaches us so much later was kept from us by a cut. */
const LATE: Millis = MINUTE;

/**
 * The incident after its judge told of an episode: what the teller wrote stays. The hold, reminders and escalation count from
 * when it reached us. One that began and ended before anybody here heard of it is told once, as past.
 */
export function withEpisode(last: Incident | undefined, episode: Episode, now: Instant): Incident {
  const same = last?.id === episode.id;
  const news = !same || last.change !== episode.change || last.since !== episode.since;
  const noticedAt = news ? now : last.noticedAt;
  const incident = { ...episode, ...tellingOf(last, episode, same), noticedAt };
  const { resolved } = episode;
  if (resolved === undefined || now - resolved.at < LATE || incident.past !== undefined) return incident;
  return Object.keys(incident.told).length > 0 ? incident : { ...incident, past: "untold" };
}

function tellingOf(last: Incident | undefined, episode: Episode, same: boolean): Telling {
  if (last === undefined) return { told: {} };
  // Whoever was told of the last one and not yet of its end hears of this one as a change.
  if (!same) return { told: last.told };
  const { acknowledged, told, escalatedAt, spokenForBy, issue, past } = last;
  const reopened = last.resolved !== undefined && episode.resolved === undefined;
  return {
    told,
    ...(acknowledged === undefined ? {} : { acknowledged }),
    ...(escalatedAt === undefined ? {} : { escalatedAt }),
    ...(spokenForBy === undefined || reopened ? {} : { spokenForBy }),
    ...(issue === undefined ? {} : { issue }),
    ...(past === undefined || reopened ? {} : { past }),
  };
}
