import { iso } from "../../core/duration.ts";
import { calledOf, hostOf, type Incident } from "../../core/incident/incident.ts";
import type { EvidenceText, Fact, RcaSubject } from "../../core/rca/issue.ts";

/** What kind of failure an incident is, how its title says so, and what should have been. */
interface Failure {
  readonly type: string;
  readonly did: string;
  readonly expected: string;
}

const SILENT: Failure = {
  type: "SILENT",
  did: "fell silent",
  expected: "A beat within the time that its rule promises, the grace included.",
};
const CRASH: Failure = {
  type: "CRASH",
  did: "crashed",
  expected: "A process that runs until its work is done and ends cleanly.",
};

const BY_REASON: Partial<Record<Incident["reason"], Failure>> = {
  exited: CRASH,
  orphan: CRASH,
  "beats-without-process": CRASH,
  "no-answer": {
    type: "NO_ANSWER",
    did: "did not answer",
    expected: "An address that answers as it should.",
  },
  "never-heard": { ...SILENT, type: "NEVER_HEARD", did: "was never heard" },
  "did-not-wake": {
    type: "DID_NOT_WAKE",
    did: "did not wake",
    expected: "The next cycle, begun at its time.",
  },
  "host-out-of-contact": {
    type: "HOST_OUT_OF_CONTACT",
    did: "is out of contact",
    expected: "A report to the hub at least once a minute.",
  },
  "group-silent": { ...SILENT, type: "GROUP_SILENT", did: "fell silent at once" },
};

const BY_STATE: Partial<Record<Incident["state"], Failure>> = {
  stalled: {
    type: "STALL",
    did: "stalled",
    expected: "Progress: something new within what is normal for it.",
  },
  failing: { type: "FAILING", did: "reports errors", expected: "Beats that say ok." },
  waiting: { type: "WAITING", did: "waits for a human", expected: "Work that goes on without a human." },
  limited: { type: "LIMITED", did: "is at a limit", expected: "Work within the limits of its services." },
};

/** So many blocks of evidence have room in an issue. */
const BLOCKS = 5;

/** The root-cause issue for an incident, with everything that was found when it opened. */
export function incidentSubject(incident: Incident): RcaSubject {
  const { id, kind, subject, state, reason, noticedAt, openedAt } = incident;
  const { type, did, expected } = BY_STATE[state] ?? BY_REASON[reason] ?? SILENT;
  const who = kind === "group" ? `the agents of ${subject}` : calledOf(incident);
  return {
    agent: subject,
    type,
    key: id,
    title: `RCA-AGENT: ${who} ${did} (${iso(openedAt).slice(0, 10)})`,
    detectedAt: noticedAt,
    expected,
    actual: actualOf(incident),
    evidence: evidenceOf(incident),
    resources: [
      { label: "Incident", value: id },
      { label: "Everything found and told", value: `rollcall incidents show ${id}` },
      ...(kind === "agent" ? [{ label: "How it stands now", value: `rollcall explain ${subject}` }] : []),
    ],
  };
}

function actualOf(incident: Incident): Fact[] {
  const { state, reason, why, since, noticedAt, flapping, episodes, members = [] } = incident;
  const host = hostOf(incident);
  return [
    ...(host === undefined ? [] : [{ label: "Host", value: host }]),
    { label: "State", value: `${state} (${reason})` },
    { label: "Why", value: why },
    { label: "Since", value: iso(since) },
    { label: "Noticed", value: iso(noticedAt) },
    ...(flapping ? [{ label: "Flapping", value: `${episodes.length} times within a day` }] : []),
    ...(members.length > 0 ? [{ label: "Agents", value: members.join(", ") }] : []),
  ];
}

/** What does not fit stands together in the last block: nothing that was found is left out. */
function evidenceOf({ findings }: Incident): readonly EvidenceText[] {
  const items = findings?.items ?? [];
  if (items.length <= BLOCKS) return items;
  const rest = items.slice(BLOCKS - 1);
  const last = {
    title: rest.map(({ title }) => title).join(", "),
    text: rest.map(({ title, text }) => `${title}:\n${text}`).join("\n\n"),
  };
  return [...items.slice(0, BLOCKS - 1), last];
}
