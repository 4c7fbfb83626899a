import { readdirSync } from "node:fs";
import { join } from "node:path";
import { agentsOf, type Config, defaultRule } from "../config/load.ts";
import { storedIn } from "../config/stored-home.ts";
import { type Agent, isAgentId, redeclared } from "../core/agent.ts";
import type { Beat } from "../core/beat.ts";
import { readBeat } from "../core/beat-input.ts";
import { sayAgo } from "../core/duration.ts";
import { countStates } from "../core/liveness/state.ts";
import { FULL_TRUST, trusted } from "../core/liveness/trust.ts";
import { ownId } from "../features/own-beat/own-id.ts";
import { type Home, readSecret } from "../home/home.ts";
import { LARGEST_BEAT } from "../home/intake/spool.ts";
import { touchedBeat } from "../home/intake/touched.ts";
import { withStore } from "../home/store.ts";
import type { AgentSnapshot, Snapshot, Store } from "../ports/store.ts";
import { readOwnFile } from "../system/files.ts";
import { openProc } from "../system/proc.ts";
import { showRhythm } from "../watch/learning.ts";
import { placesOf } from "../watch/roll.ts";
import { hear, judged, newPlace, type RollPlace } from "../watch/roll-place.ts";
import { detailOf, type RollView, viewOf } from "../watch/view.ts";
import { lookAtProcess } from "./look-at-process.ts";
import type { RollSnapshot } from "./parts.ts";
import { pingUuidOf } from "./ping-ids.ts";

/**
 * The roll with no watcher running: from the config, what the last watcher stored, and the files that agents left
 * since. Nobody was watching, but a stamp is a stamp: one that is too old means dead. Nothing is written.
 */
export async function offlineRoll(
  home: Home,
  config: Config,
  store: Store,
  only?: string,
): Promise<Omit<RollSnapshot, "watcher">> {
  const now = Date.now();
  const { places: known, watchedAt } = await knownPlaces(store, config, now, only);
  const rule = defaultRule(config);
  for (const beat of beatsInFiles(home, now, only)) {
    const place =
      known.get(beat.agent) ?? newPlace({ id: beat.agent, rule, origin: "beat", addedAt: beat.sentAt });
    known.set(beat.agent, hear(place, beat, now, FULL_TRUST));
  }
  const shown = [...known.values()].filter(({ agent }) => only === undefined || agent.id === only);
  const proc = openProc();
  const looked = await Promise.all(shown.map((place) => lookAtProcess(place, home, proc, now, watchedAt)));
  const places = new Map(looked.map((place) => [place.agent.id, judged(place, now, FULL_TRUST).place]));
  const secret = readSecret(home.pingSecretFile);
  return {
    places: () => places.values(),
    counts: () => countStates([...places.values()].map(({ entry }) => entry.standing.verdict)),
    place: (id) => places.get(id),
    view(place, detail) {
      const view = (detail ? detailOf : viewOf)(place, now, FULL_TRUST);
      return { ...view, why: whyOf(view, now) };
    },
    rhythm: ({ agent, entry: { rhythm } }) =>
      rhythm === undefined ? undefined : showRhythm(rhythm, agent.stall, trusted(FULL_TRUST, now), undefined),
    pingUuid: (id) => (secret === undefined ? null : pingUuidOf(secret, id)),
  };
}

/** The agents as the files show them, whether a watcher runs or not. */
export async function rollOffline(home: Home, config: Config, only?: string): Promise<readonly RollView[]> {
  const roll = await withStore(storedIn(home, config), (store) => offlineRoll(home, config, store, only));
  return [...roll.places()].map((place) => roll.view(place, only !== undefined));
}

/** A watcher that was stopped ended cleanly, and still nobody watches. */
function whyOf({ id, reason, why, since }: RollView, now: number): string {
  if (id !== ownId() || reason !== "exited") return why;
  return `no watcher runs; the last one was alive until ${sayAgo(now - Date.parse(since))}`;
}

/** Every agent that the config declares or that a watcher stored. Nothing is written. */
export async function knownAgents(home: Home, config: Config): Promise<readonly Agent[]> {
  const { places } = await withStore(storedIn(home, config), (store) =>
    knownPlaces(store, config, Date.now()),
  );
  return [...places.values()].map(({ agent }) => agent);
}

async function knownPlaces(
  store: Store,
  config: Config,
  now: number,
  only?: string,
): Promise<{ readonly places: Map<string, RollPlace>; readonly watchedAt: number | undefined }> {
  // Only the whole store says when a watcher last watched.
  const isWhole = only === undefined || only === ownId();
  const snapshot: AgentSnapshot & Pick<Snapshot, "mark"> = await (isWhole
    ? store.load()
    : store.loadAgent(only));
  const places = placesOf(snapshot);
  for (const agent of agentsOf(config, now)) {
    if (only !== undefined && agent.id !== only) continue;
    const known = places.get(agent.id);
    places.set(
      agent.id,
      known === undefined ? newPlace(agent) : { ...known, agent: redeclared(known.agent, agent) },
    );
  }
  return { places, watchedAt: snapshot.mark?.at };
}

/** The latest beat file of each agent, the touched files, and what still waits in the spool. */
function* beatsInFiles(home: Home, now: number, only: string | undefined): Generator<Beat> {
  for (const name of only === undefined ? list(home.beats) : [only, `${only}.json`]) {
    const agent = name.endsWith(".json") ? name.slice(0, -".json".length) : name;
    if (!isAgentId(agent)) continue;
    const file = join(home.beats, name);
    const beat = agent === name ? touchedAt(home.beats, name, now) : readBeatFile(file, now);
    if (beat?.agent === agent) yield beat;
  }
  for (const name of list(home.spool)) {
    if (!name.endsWith(".json") || name.startsWith(".")) continue;
    const beat = readBeatFile(join(home.spool, name), now);
    if (beat !== undefined && (only === undefined || beat.agent === only))
      yield { ...beat, receivedAt: beat.sentAt };
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function touchedAt(folder: string, name: string, now: number): Beat | undefined {
  const beat = touchedBeat(folder, name, now);
  return beat === undefined ? undefined : { ...beat, receivedAt: beat.sentAt };
}

/** A beat file counts from its arrival where a watcher noted one, else from when it was sent. */
function readBeatFile(file: string, now: number): Beat | undefined {
  try {
    const value = JSON.parse(readOwnFile(file, LARGEST_BEAT).toString("utf8")) as { receivedAt?: unknown };
    const read = readBeat(value, { receivedAt: now, newId: () => "" });
    if ("problem" in read) return undefined;
    const arrived = typeof value.receivedAt === "string" ? Date.parse(value.receivedAt) : Number.NaN;
    return { ...read.beat, receivedAt: Number.isFinite(arrived) ? arrived : read.beat.sentAt };
  } catch {
    return undefined;
  }
}
