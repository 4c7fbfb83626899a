import type { Agent } from "../core/agent.ts";
import { beatAt } from "../core/beat.ts";
import { formatDuration, type Instant, iso } from "../core/duration.ts";
import type { State } from "../core/liveness/state.ts";
import type { Trust } from "../core/liveness/trust.ts";
import type { Verdict } from "../core/liveness/verdict.ts";
import { type Place, verdictAt } from "./place.ts";

/** An agent as readers see it: in `status --json` and in the API. Documented in docs/api.md, and kept. */
export interface AgentView {
  readonly id: string;
  readonly name: string | null;
  readonly state: State;
  readonly reason: string;
  readonly why: string;
  readonly since: string;
  readonly lastBeatAt: string | null;
  readonly cycle: number | null;
  readonly action: string | null;
  readonly status: "ok" | "error" | null;
  readonly message: string | null;
  readonly source: "agent" | "wrapper" | null;
  readonly host: string | null;
  readonly origin: Agent["origin"];
  readonly rule: RuleView;
  /** Only where one agent is asked for. */
  readonly evidence?: readonly EvidenceView[];
}

type RuleView =
  | { readonly every: string; readonly grace: string }
  | { readonly schedule: string; readonly timezone: string; readonly grace: string };

interface EvidenceView {
  readonly signal: string;
  readonly at: string;
  readonly says: string;
}

/** Shows a place at `now`. Its words are of now; its state and date are those of the last committed verdict. */
export function viewOf(place: Place, now: Instant, trust: Trust): AgentView {
  return show(place, verdictAt(place, now, trust));
}

/** The same with the evidence, for one agent. */
export function detailOf(place: Place, now: Instant, trust: Trust): AgentView {
  const verdict = verdictAt(place, now, trust);
  const evidence = verdict.evidence.map(({ signal, at, says }) => ({ signal, at: iso(at), says }));
  return { ...show(place, verdict), evidence };
}

function show({ agent, entry, cycle }: Place, today: Verdict): AgentView {
  const { verdict: committed, since } = entry.standing;
  // A deadline may have passed a moment ago: what is shown as the state is what has been committed as a flip.
  const said = today.state === committed.state ? today : committed;
  const beat = entry.lastBeat;
  return {
    id: agent.id,
    name: agent.name ?? null,
    state: said.state,
    reason: said.reason,
    why: said.why,
    since: iso(since),
    lastBeatAt: beat === undefined ? null : iso(beatAt(beat)),
    cycle: beat?.cycle ?? cycle?.number ?? null,
    action: beat?.action ?? cycle?.lastAction ?? null,
    status: beat?.status ?? null,
    message: beat?.message ?? null,
    source: beat?.source ?? null,
    host: beat?.host ?? null,
    origin: agent.origin,
    rule: showRule(agent),
  };
}

function showRule({ rule }: Agent): RuleView {
  const grace = formatDuration(rule.grace);
  if ("every" in rule) return { every: formatDuration(rule.every), grace };
  return { schedule: rule.schedule, timezone: rule.timezone, grace };
}
