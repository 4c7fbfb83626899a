import { beatRow } from "./beat-rows.ts";
import type { Row } from "./case.ts";
import { ownError } from "./own-error.ts";

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
