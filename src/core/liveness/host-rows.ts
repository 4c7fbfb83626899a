import { beatRow } from "./beat-rows.ts";
import type { Row } from "./case.ts";
import { forSpan } from "./times.ts";

const NEVER = Number.POSITIVE_INFINITY;

/** An agent of another host is what that host says. Without contact nobody knows; but what was dead stays dead. */
export const hostsWordRow: Row = ({ facts: { verdict, contact } }) => {
  if (verdict === undefined) return undefined;
  const { state, reason, why } = verdict;
  if (contact?.lost === true && state !== "dead" && state !== "paused") {
    return {
      state: "unknown",
      reason: "host-out-of-contact",
      why: `its host is out of contact; before that it was ${state}: ${why}`,
      at: contact.at,
      next: NEVER,
    };
  }
  return { state, reason, why, at: verdict.at, next: NEVER };
};

/**
 * A host that says nothing may be cut off, asleep or down: nobody can tell, so it is not called dead. While this hub could not
 * have heard it, it is late, not unknown: losing it must be a change, and until then its agents are what it said.
 */
export const contactRow: Row = (hearing) => {
  const { previous, hostKind, facts, now, lasting } = hearing;
  const finding = hostKind === undefined ? undefined : beatRow(hearing);
  if (finding === undefined) return undefined;
  const before = previous?.verdict;
  // Once lost it is lost until it is heard, whatever a clock that was set makes of its last sign.
  const wasLost = before?.reason === "host-out-of-contact" && before.basis === facts.basis;
  if (!wasLost && finding.state !== "dead")
    return finding.state === "unknown" ? { ...finding, state: "late" } : undefined;
  const { next } = finding;
  const at = wasLost ? before.at : finding.at;
  const since = facts.stamp ?? facts.futureStamp ?? now;
  const why = `nothing heard from this host ${forSpan(Math.min(since, now), now, lasting)}`;
  return { state: "unknown", reason: "host-out-of-contact", why, at, next };
};
