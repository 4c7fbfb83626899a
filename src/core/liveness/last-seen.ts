import { type Beat, beatAt, sameIncarnation } from "../beat.ts";
import type { Gone } from "./observation.ts";

/** A beat of the life that is gone shows that it was there later than its other traces say. */
export function lastSeen(gone: Gone, beat: Beat | undefined): Gone {
  if (beat === undefined || !sameIncarnation(beat.incarnation, gone.incarnation)) return gone;
  return { ...gone, at: Math.min(Math.max(gone.at, beatAt(beat)), gone.seenAt) };
}
