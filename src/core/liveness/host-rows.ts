import type { Row } from "./case.ts";
import { at, outlook } from "./outlook.ts";
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

/** A host that says nothing may be cut off, asleep or down: nobody can tell, so it is not called dead. */
export const contactRow: Row = ({ hostKind, rule, facts, trust, now, lasting }) => {
  if (hostKind === undefined || rule === undefined || facts.stamp === undefined) return undefined;
  const { stretch, next } = at(outlook(rule, facts.stamp, trust), now);
  if (stretch.says !== "dead") return undefined;
  return {
    state: "unknown",
    reason: "host-out-of-contact",
    why: `nothing heard from this host ${forSpan(facts.stamp, now, lasting)}`,
    at: stretch.from,
    next,
  };
};
