import { type Instant, type Millis, sayDuration } from "../duration.ts";
import { grouped } from "../grouped.ts";
import { calledOf, type Incident, isOpen } from "./incident.ts";

/** The most agents that a digest names. */
const NAMED = 30;

/**
 * What happened to agents in a time, in a few lines: trouble that is still open first, then what came and went. Incidents that
 * a group speaks for are part of it. Undefined if nothing happened.
 */
export function digestOf(incidents: readonly Incident[], from: Instant, now: Instant): string | undefined {
  const told = incidents.filter(
    ({ spokenForBy, openedAt, resolved }) =>
      spokenForBy === undefined && openedAt < now && (resolved?.at ?? now) >= from,
  );
  if (told.length === 0) return undefined;
  const lines = [...grouped(told, calledOf)].map(([who, all]) => lineOf(who, all, now));
  const sorted = lines.toSorted((a, b) => Number(b.isOpen) - Number(a.isOpen) || b.longest - a.longest);
  const open = sorted.filter((line) => line.isOpen).length;
  const head = `${count(sorted.length, "agent")} needed attention in the last ${sayDuration(now - from)}; ${
    open === 0 ? "all are well again" : `${open} still ${open === 1 ? "does" : "do"}`
  }`;
  const more = sorted.length - NAMED;
  const named = sorted.slice(0, NAMED).map(({ text }) => `• ${text}`);
  return [head, ...named, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n");
}

function lineOf(
  who: string,
  all: readonly Incident[],
  now: Instant,
): { readonly text: string; readonly isOpen: boolean; readonly longest: Millis } {
  const open = all.find(isOpen);
  const times = all.reduce((sum, { episodes }) => sum + Math.max(1, episodes.length), 0);
  const longest = Math.max(...all.map(({ openedAt, resolved }) => (resolved?.at ?? now) - openedAt));
  const states = [...new Set(all.map(({ state }) => state))].join(", ");
  const often = times > 1 ? `, ${times} times` : "";
  const by = all.flatMap(({ acknowledged }) => acknowledged?.by ?? [])[0];
  const text =
    open === undefined
      ? `${who}: was ${states}${often}, at most ${sayDuration(longest)}; well again`
      : `${who}: still ${open.state}, for ${sayDuration(now - open.openedAt)}${often}: ${open.why}`;
  return {
    text: by === undefined ? text : `${text} (acknowledged by ${by})`,
    isOpen: open !== undefined,
    longest,
  };
}

function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? "" : "s"}`;
}
