import type { Instant } from "../duration.ts";
import type { BeatHeard } from "./observation.ts";

/** Two hosts that beat under one id at the same time: their spans overlap, and both are recent. */
export function rivalHosts(
  beats: readonly BeatHeard[],
  recent: Instant,
): readonly [string, string] | undefined {
  if (beats.length < 2) return undefined;
  const hosts = new Map<string, { first: Instant; last: Instant }>();
  for (const { host, at, firstAt } of beats) {
    if (host === undefined || at < recent) continue;
    const span = hosts.get(host) ?? { first: firstAt, last: at };
    hosts.set(host, { first: Math.min(span.first, firstAt), last: Math.max(span.last, at) });
  }
  const list = [...hosts].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [i, [hostA, a]] of list.entries()) {
    for (const [hostB, b] of list.slice(i + 1)) {
      if (a.first < b.last && b.first < a.last) return [hostA, hostB];
    }
  }
  return undefined;
}
