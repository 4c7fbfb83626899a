import { type Instant, MINUTE, type Millis } from "../../core/duration.ts";
import { type Incident, isOpen, isSilence } from "../../core/incident/incident.ts";
import { HOLD, type Silence, silencedUntil } from "../../core/incident/policy.ts";
import type { State } from "../../core/liveness/state.ts";

/** Which incidents become issues. */
export interface IssuePolicy {
  readonly states: readonly State[];
  readonly after: Millis;
}

/** What is found of an agent is there within seconds; an incident without it is not waited for longer than this. */
const FINDING: Millis = MINUTE;

/** Whether an incident is to become an issue now. */
export function isIssueDue(
  incident: Incident,
  { states, after }: IssuePolicy,
  silences: readonly Silence[],
  now: Instant,
): boolean {
  const { kind, state, issue, spokenForBy, calmSince, noticedAt, findings } = incident;
  if (!isOpen(incident) || issue !== undefined || kind === "reboot" || !states.includes(state)) return false;
  // The group's incident speaks for it; and what flaps and is well at the moment has its turn when it is not.
  if (spokenForBy !== undefined || calmSince !== undefined) return false;
  // Every turn of what flaps is noticed anew: it counts from its beginning.
  const from = incident.flapping ? incident.openedAt : noticedAt;
  // A silence may have a common cause: then the group's incident speaks for it.
  const held = kind === "agent" && isSilence(incident.reason) ? HOLD : 0;
  if (now < from + Math.max(after, held)) return false;
  if (kind === "agent" && findings === undefined && now < noticedAt + FINDING) return false;
  return !(incident.members ?? [incident.subject]).every(
    (agent) => silencedUntil(silences, agent, now) !== undefined,
  );
}
