import type { IncomingMessage, ServerResponse } from "node:http";
import { matches } from "../core/incident/policy.ts";
import type { State } from "../core/liveness/state.ts";
import type { Watcher } from "../watch/watcher.ts";
import { PLAIN_HEADERS, send, sendProblem } from "./kit/problem.ts";

/** Dark enough for white letters on each. */
const COLOURS: Readonly<Record<State, string>> = {
  ...{ new: "#5f6b7a", alive: "#1a7f37", late: "#9a6700", resting: "#0969da", waiting: "#8250df" },
  ...{ limited: "#8250df", stalled: "#cf222e", failing: "#cf222e", dead: "#a40e26" },
  ...{ paused: "#5f6b7a", unknown: "#9a6700" },
};
/** The width of a letter in a font of 11 pixels, on the safe side. */
const LETTER = 7;
const EDGE = 12;

/**
 * `GET /badge/<agent>.svg`: the state of an agent as a picture, for whoever asks. Only agents that the config names have one,
 * and of the others nobody learns whether they are there.
 */
export function sendBadge(
  { reader }: Pick<Watcher, "reader">,
  badges: readonly string[],
  { url = "" }: IncomingMessage,
  response: ServerResponse,
): void {
  const [, id = ""] = /^\/badge\/([\w@-]+)\.svg(?:\?.*)?$/.exec(url) ?? [];
  const place = badges.some((pattern) => matches(pattern, id)) ? reader.place(id) : undefined;
  if (place === undefined) return sendProblem(response, "not-found", "there is no such badge");
  const headers = {
    ...PLAIN_HEADERS,
    "content-type": "image/svg+xml; charset=utf-8",
    "cache-control": "no-cache",
  };
  send(response, 200, badge(id, reader.verdict(place).state), headers);
}

/** Ids have letters, digits, _, @ and - only, so that nothing in them is markup. */
export function badge(id: string, state: State): string {
  const left = id.length * LETTER + EDGE;
  const right = state.length * LETTER + EDGE;
  const width = left + right;
  const text = (x: number, words: string) => `<text x="${x}" y="14" text-anchor="middle">${words}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${id}: ${state}"><title>${id}: ${state}</title><rect width="${width}" height="20" rx="3" fill="#3d444d"/><rect x="${left}" width="${right}" height="20" rx="3" fill="${COLOURS[state]}"/><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(left / 2, id)}${text(left + right / 2, state)}</g></svg>\n`;
}
