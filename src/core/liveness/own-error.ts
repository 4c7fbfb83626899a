import type { Hearing, RowFinding } from "./case.ts";
import { newerLife } from "./lives.ts";

const NEVER = Number.POSITIVE_INFINITY;

/** The error that is its own last word, if there is one: that it is done, although its check failed, is one too. */
export function ownError({ facts }: Hearing): RowFinding | undefined {
  const { ownBeat, ended, work } = facts;
  if (work?.open === true && work.notProven !== undefined) {
    const { at, says } = work.notProven;
    return { state: "failing", reason: "done-not-proven", why: says, at, next: NEVER };
  }
  if (ownBeat?.status === "error" && !newerLife(facts, ownBeat)) {
    const message = ownBeat.message === undefined ? "" : `: ${ownBeat.message}`;
    const unproven = ownBeat.unproven === true ? " (sent without a token)" : "";
    return {
      state: "failing",
      reason: "says-error",
      why: `its last beat${unproven} reports an error${message}`,
      at: ownBeat.at,
      next: NEVER,
    };
  }
  // A wrapper can tell of an error too: the exit status of the cycle that it ran.
  if (ended === undefined || ended.ok || newerLife(facts, ended)) return undefined;
  if (ownBeat !== undefined && ownBeat.at > ended.at) return undefined;
  const unproven = ended.unproven === true ? " (reported without a token)" : "";
  return {
    state: "failing",
    reason: "says-error",
    why: `${ended.cycle === undefined ? "its last cycle" : `cycle ${ended.cycle}`} ended with an error${unproven}`,
    at: ended.at,
    next: NEVER,
  };
}
