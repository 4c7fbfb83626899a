import type { Snapshot } from "../ports/store.ts";
import { hear, newPlace, type RollPlace } from "./roll-place.ts";

/** The places as a store knows them: the entries, and the beats that came after they were last written. */
export function placesOf(snapshot: Snapshot): Map<string, RollPlace> {
  const trust = { blind: snapshot.blind };
  const cycles = new Map(snapshot.cycles.map((cycle) => [cycle.agent, cycle]));
  const entries = new Map(snapshot.entries.map((entry) => [entry.agent, entry]));
  const places = new Map<string, RollPlace>();
  for (const agent of snapshot.agents) {
    const fresh = newPlace(agent);
    const place = { ...fresh, entry: entries.get(agent.id) ?? fresh.entry };
    const cycle = cycles.get(agent.id);
    places.set(agent.id, cycle === undefined ? place : { ...place, cycle });
  }
  for (const record of snapshot.records) {
    if (record.kind !== "ping-run") continue;
    const { agent, cycle: number, beganAt } = record.body;
    const place = places.get(agent);
    if (place === undefined || place.cycle?.number === number) continue;
    places.set(agent, {
      ...place,
      older: [...(place.older ?? []), { agent, number, beganAt, lastAt: beganAt }],
    });
  }
  for (const beat of snapshot.unsettled) {
    const place = places.get(beat.agent);
    // As it was heard then: what the clock says now decides nothing.
    if (place !== undefined) places.set(beat.agent, hear(place, beat, beat.receivedAt, trust));
  }
  return places;
}
