import type { AgentView, BeatView } from "../api/shapes.ts";

/** The gaps between beats, oldest first: when each ended, and how long it was. */
export function gapsOf(beats: readonly BeatView[]): (readonly [at: number, gap: number])[] {
  const times = beats.map(({ receivedAt }) => Date.parse(receivedAt)).sort((a, b) => a - b);
  return times.slice(1).map((at, index) => [at, at - (times[index] ?? at)] as const);
}

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** What a rule such as every 15m with 5m of grace allows at most. A calendar allows no one length. */
export function limitOf(rule: AgentView["rule"]): number | undefined {
  if (rule === null || !("every" in rule)) return undefined;
  return lengthOf(rule.every) + lengthOf(rule.grace);
}

function lengthOf(text: string): number {
  let total = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|[dhms])/g))
    total += Number(count) * (UNITS[unit ?? ""] ?? 0);
  return total;
}
