import type { Instant } from "../duration.ts";
import { parseMonth } from "../tick/period.ts";
import type { FollowUpPoint } from "./follow-up.ts";

/** A root-cause issue that was filed and is looked at again: at its points, and when its agent is well. */
export interface FiledIssue {
  readonly key: string;
  readonly marker: string;
  readonly number: number;
  readonly url: string;
  /** When it was filed, by our own clock: its points count from here. */
  readonly createdAt: Instant;
  /** The agent, or the group of an incident of many. */
  readonly agent: string;
  /** What it is about: an incident, or the tick of a month. */
  readonly incident?: string;
  readonly month?: string;
  /** The folder of the month's ticks, if a command filed it by a folder of its own. */
  readonly ticks?: string;
  /** When it is looked at next, whatever happens; null when all points have passed. */
  readonly nextAt: Instant | null;
  readonly followed: readonly FollowUpPoint[];
  /** It was told that the agent is well again. */
  readonly recovered: boolean;
  /** Nothing is to be done about it any more. */
  readonly closed: boolean;
}

/** What the marker of a tick's issue says: whose tick of which month; undefined for the marker of an incident. */
export function tickInMarker(marker: string): { readonly agent: string; readonly month: string } | undefined {
  const [, agent = "", month = ""] = /^<!-- rollcall:([^:]+):([^:]+):[A-Z_]+ -->$/.exec(marker) ?? [];
  return parseMonth(month) === undefined ? undefined : { agent, month };
}

/** The key that a marker was made of, as far as the marker has it. */
export function keyInMarker(marker: string): string {
  return marker.replace(/^<!-- rollcall:| -->$/g, "");
}
