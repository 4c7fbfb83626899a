import { parseDuration } from "../../src/core/duration.ts";
import type { AgentView, BeatView } from "../api/shapes.ts";

/** The gaps between beats, oldest first: when each ended, and how long it was. */
export function gapsOf(beats: readonly BeatView[]): (readonly [at: number, gap: number])[] {
  const times = beats.map(({ receivedAt }) => Date.parse(receivedAt)).sort((a, b) => a - b);
  return times.slice(1).map((at, index) => [at, at - (times[index] ?? at)] as const);
}

/** What a rule such as every 15m with 5m of grace allows at most. A calendar allows no one length. */
export function limitOf(rule: AgentView["rule"]): number | undefined {
  if (rule === null || !("every" in rule)) return undefined;
  return (parseDuration(rule.every) ?? 0) + (parseDuration(rule.grace) ?? 0);
}
