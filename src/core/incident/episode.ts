import type { Instant, Millis } from "../duration.ts";
import { MINUTE } from "../duration.ts";
import { type Incident, isSilence } from "./incident.ts";
import { untaken } from "./respond.ts";

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

/** What began so long before we hear of its beginning was kept from us by a cut. */
const LATE: Millis = MINUTE;

/**
 * The incident after its judge told of an episode: what the teller wrote stays. The hold, reminders and escalation count from
 * when it reached us. One that began and ended before anybody here heard of it is told once, as past, unless it ended within
 * the hold. `told` is the episode by its host's clock.
 */
export function withEpisode(
  last: Incident | undefined,
  episode: Episode,
  now: Instant,
  { hold, told }: { readonly hold: Millis; readonly told: Episode },
): Incident {
  const same = last?.id === episode.id;
  // A date that moved a little is the same one by a clock that was corrected.
  const news = !same || last.change !== episode.change || Math.abs(last.since - episode.since) > LATE;
  const noticedAt = news ? now : last.noticedAt;
  const incident = { ...episode, ...tellingOf(last, episode, same), noticedAt };
  const { resolved } = episode;
  if (resolved === undefined || incident.past !== undefined || incident.spokenForBy !== undefined)
    return incident;
  const silent = isSilence(episode.reason);
  // A store that is slow may have kept us from telling when the hold ended.
  const isHeld = silent && same && now - last.noticedAt < hold + LATE;
  const heardBefore =
    same &&
    last.change === episode.change &&
    (last.resolved !== undefined || (last.noticedAt < now && !isHeld));
  const late = now - (same ? episode.noticedAt : episode.openedAt);
  // By one clock: ours may have moved what its host told.
  const lasted = (told.resolved?.at ?? 0) - (same ? told.noticedAt : told.openedAt);
  const wasBrief = silent ? lasted < hold : lasted < LATE && late < LATE;
  // An end before its beginning: the host's clock was set, and nobody knows how long it lasted.
  const passes = heardBefore || (wasBrief && lasted >= 0) || Object.keys(incident.told).length > 0;
  return passes ? incident : { ...incident, past: "untold" };
}

function tellingOf(last: Incident | undefined, episode: Episode, same: boolean): Telling {
  if (last === undefined) return { told: {} };
  // Whoever was told of the last one and not yet of its end hears of this one as a change.
  if (!same) return { told: last.told };
  const reopened = last.resolved !== undefined && episode.resolved === undefined;
  const { acknowledged, told, escalatedAt, spokenForBy, issue, past } = reopened ? untaken(last) : last;
  return {
    told,
    ...(acknowledged === undefined ? {} : { acknowledged }),
    ...(escalatedAt === undefined ? {} : { escalatedAt }),
    ...(spokenForBy === undefined ? {} : { spokenForBy }),
    ...(issue === undefined ? {} : { issue }),
    ...(past === undefined || (reopened && past === "told") ? {} : { past }),
  };
}
