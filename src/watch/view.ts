import { type Agent, groupOf } from "../core/agent.ts";
import { beatAt } from "../core/beat.ts";
import { formatDuration, type Instant, iso } from "../core/duration.ts";
import { rowOf, type State } from "../core/liveness/state.ts";
import type { Trust } from "../core/liveness/trust.ts";
import type { Verdict } from "../core/liveness/verdict.ts";
import type { Norm } from "../core/rhythm/norm.ts";
import { evidenceAt, type RollPlace, verdictAt } from "./roll-place.ts";

/** An agent as readers see it: in `status --json` and in the API. Documented in docs/api.md, and kept. */
export interface RollView {
  readonly id: string;
  readonly name: string | null;
  readonly group: string;
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
  /** Null for one that promises no beats. */
  readonly rule: RuleView | null;
  /** Only where one agent is asked for: what is known, which row of the table decided, and what comes next. */
  readonly evidence?: readonly EvidenceView[];
  readonly row?: number;
  readonly outlook?: readonly OutlookView[];
}

/** What it will be from a moment on, if nothing more is heard or seen of it. */
interface OutlookView {
  readonly at: string;
  readonly state: State;
  readonly reason: string;
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
export function viewOf(place: RollPlace, now: Instant, trust: Trust, norm?: Norm): RollView {
  return show(place, verdictAt(place, now, trust, norm));
}

/** The same with the evidence, for one agent. */
export function detailOf(place: RollPlace, now: Instant, trust: Trust, norm?: Norm): RollView {
  const verdict = verdictAt(place, now, trust, norm);
  return {
    ...show(place, verdict),
    evidence: evidenceAt(place, now, trust).map(({ signal, at, says }) => ({ signal, at: iso(at), says })),
    row: rowOf(verdict.reason),
    outlook: outlookOf(place, verdict, trust, norm),
  };
}

/** The next few changes that time alone will bring: the same judge, asked about the moments that it named itself. */
function outlookOf(place: RollPlace, verdict: Verdict, trust: Trust, norm?: Norm): OutlookView[] {
  const list: OutlookView[] = [];
  let { state, next } = verdict;
  for (let asked = 0; asked < 8 && Number.isFinite(next); asked++) {
    const then = verdictAt(place, next, trust, norm);
    if (then.state !== state) list.push({ at: iso(next), state: then.state, reason: then.reason });
    state = then.state;
    if (then.next <= next) break;
    next = then.next;
  }
  return list;
}

/** The host that an agent runs on, as it or its last beat names it. */
export function hostOf({ agent, entry }: RollPlace): string | undefined {
  return agent.host ?? (agent.hostKind === undefined ? entry.lastBeat?.host : agent.name);
}

/** What an agent does, as it said last or as was seen. */
export function actionOf({ entry, cycle }: RollPlace): string | undefined {
  const { lastBeat, observations } = entry;
  const told = observations.find((fact) => fact.kind === "verdict");
  const [doing] = observations.flatMap((fact) => (fact.kind === "reading" ? (fact.doing ?? []) : []));
  return lastBeat?.action ?? cycle?.lastAction ?? told?.action ?? doing;
}

function show(place: RollPlace, today: Verdict): RollView {
  const { agent, entry, cycle } = place;
  const { verdict: committed, since } = entry.standing;
  // A deadline may have passed a moment ago: what is shown as the state is what has been committed as a flip.
  const said = today.state === committed.state ? today : committed;
  const beat = entry.lastBeat;
  const told = entry.observations.find((fact) => fact.kind === "verdict");
  return {
    id: agent.id,
    name: agent.name ?? null,
    group: groupOf(agent),
    state: said.state,
    reason: said.reason,
    why: said.why,
    since: iso(since),
    lastBeatAt: orNull(beat === undefined ? told?.lastBeatAt : beatAt(beat)),
    cycle: beat?.cycle ?? cycle?.number ?? told?.cycle ?? null,
    action: actionOf(place) ?? null,
    status: beat?.status ?? null,
    message: beat?.message ?? null,
    source: beat?.source ?? null,
    host: hostOf(place) ?? null,
    origin: agent.origin,
    rule: showRule(agent),
  };
}

function orNull(at: Instant | undefined): string | null {
  return at === undefined ? null : iso(at);
}

function showRule({ rule }: Agent): RuleView | null {
  if (rule === undefined) return null;
  const grace = formatDuration(rule.grace);
  if ("every" in rule) return { every: formatDuration(rule.every), grace };
  return { schedule: rule.schedule, timezone: rule.timezone, grace };
}
