import type { Observation } from "./observation.ts";

/**
 * The facts without what unproven beats claim: any program on this machine can send them. That they were heard counts, so that
 * nobody seems silent; that something went wrong, or that a cycle began or ended, does not. The same list if none claims
 * anything.
 */
export function withoutClaims(observations: readonly Observation[]): readonly Observation[] {
  if (!observations.some(isClaim)) return observations;
  return observations.flatMap((fact): Observation[] => {
    if (!isClaim(fact)) return [fact];
    if (fact.kind !== "beat") return [];
    const { message: _, ...heard } = fact;
    // As a wrapper's: it is there, and nothing is said of its progress.
    return [{ ...heard, source: "wrapper", status: "ok" }];
  });
}

function isClaim(fact: Observation): boolean {
  if (fact.kind === "beat") return fact.unproven === true && fact.status === "error";
  return (fact.kind === "cycle" || fact.kind === "gone" || fact.kind === "reading") && fact.unproven === true;
}
