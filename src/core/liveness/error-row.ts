import { beatRow } from "./beat-rows.ts";
import type { Finding, Hearing, Row } from "./case.ts";
import { newerLife } from "./lives.ts";

const NEVER = Number.POSITIVE_INFINITY;

/**
 * Row 5: its last own beat says error. Silence does not end with that word: where row 9 says dead, the agent is dead, with the
 * error in the sentence. Row 9 is not asked about an agent of which a screen or a log is seen: rows 6 to 8 stand before it.
 */
export const failingRow: Row = (hearing) => {
  const failing = ownError(hearing);
  const { screen, activity } = hearing.facts;
  if (failing === undefined || screen !== undefined || activity !== undefined) return failing;
  const silence = beatRow(hearing);
  if (silence?.state === "dead") return { ...silence, why: `${silence.why}; ${failing.why}` };
  return { ...failing, next: silence?.next ?? NEVER };
};

function ownError({ facts }: Hearing): Finding | undefined {
  const { ownBeat, ended } = facts;
  if (ownBeat?.status === "error" && !newerLife(facts, ownBeat)) {
    const message = ownBeat.message === undefined ? "" : `: ${ownBeat.message}`;
    const unproven = ownBeat.unproven === true ? " (sent without a token)" : "";
    return {
      state: "failing",
      reason: "says-error",
      why: `its last beat${unproven} says error${message}`,
      at: ownBeat.at,
      next: NEVER,
    };
  }
  // A wrapper can tell of an error too: the exit status of the cycle that it ran.
  if (ended === undefined || ended.ok || newerLife(facts, ended)) return undefined;
  if (ownBeat !== undefined && ownBeat.at > ended.at) return undefined;
  const unproven = ended.unproven === true ? " (told without a token)" : "";
  return {
    state: "failing",
    reason: "says-error",
    why: `its last cycle${ended.cycle === undefined ? "" : ` (${ended.cycle})`} ended with an error${unproven}`,
    at: ended.at,
    next: NEVER,
  };
}
