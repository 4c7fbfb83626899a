import { type AgentQuestion, askedLines } from "../agent-question.ts";
import type { Button } from "../delivery/deed.ts";
import type { Message } from "../delivery/message.ts";
import { type Instant, iso, sayDuration, sayInstant } from "../duration.ts";
import { redact } from "../redact.ts";
import { CALM, calledOf, hostOf, type Incident } from "./incident.ts";
import type { Policy } from "./policy.ts";

/** Why a message is sent now. */
export type Occasion = (typeof OCCASIONS)[number];
const OCCASIONS = ["opened", "changed", "reminder", "escalated", "flapping", "resolved", "past"] as const;

export function isOccasion(word: unknown): word is Occasion {
  return OCCASIONS.some((each) => each === word);
}

const MEMBERS = 20;

/**
 * The message about an incident: the agent, its state, since when, why, what it asks, and what can be done now. `page` is
 * where people open the dashboard.
 */
export function wordsFor(
  told: Incident,
  occasion: Occasion,
  now: Instant,
  { page, stepFor, neededBy, nameOf }: Pick<Policy, "page" | "stepFor" | "neededBy" | "nameOf"> = {},
): Message {
  // What an agent says of itself may hold a secret, and goes to places that keep everything.
  const incident = { ...told, why: redact(told.why) };
  const host = hostOf(incident);
  const step = incident.kind === "agent" ? stepFor?.(incident.subject, incident.state) : undefined;
  const asked = isEnd(occasion) ? undefined : askedNow(incident);
  return {
    severity: isEnd(occasion) ? "resolved" : incident.kind === "reboot" ? "info" : incident.severity,
    title: titleOf(incident, occasion, nameOf),
    lines: [...linesOf(incident, occasion, now), ...dependentsOf(incident, occasion, neededBy)],
    commands: commandsFor(incident, occasion),
    ...linksFor(incident, page),
    ...(isEnd(occasion) ? {} : { buttons: buttonsFor(incident, step) }),
    data: {
      incident: incident.id,
      occasion,
      kind: incident.kind,
      subject: incident.subject,
      ...(host === undefined ? {} : { host }),
      state: incident.state,
      reason: incident.reason,
      severity: incident.severity,
      why: incident.why,
      openedAt: iso(incident.openedAt),
      since: iso(incident.since),
      ...(incident.resolved === undefined ? {} : { resolvedAt: iso(incident.resolved.at) }),
      ...(incident.members === undefined ? {} : { members: incident.members }),
      ...(asked === undefined ? {} : { asked: askedForPrograms(asked) }),
    },
  };
}

/** The question that it waits with now. */
export function askedNow({ asked, change, state }: Incident): AgentQuestion | undefined {
  return state === "waiting" && asked?.change === change ? asked : undefined;
}

function askedForPrograms({ text, choices, fingerprint }: AgentQuestion): object {
  return { text, choices, fingerprint };
}

const STEPS = { nudge: "Nudge", restart: "Restart" } as const;

/** What a person can do about it from a chat. */
function buttonsFor(incident: Incident, step: keyof typeof STEPS | undefined): readonly Button[] {
  const asked = askedNow(incident);
  const { kind, acknowledged } = incident;
  const answers = (asked?.choices ?? []).map(
    ({ number, label }): Button => ({
      label: `${number}. ${label}`,
      deed: { do: "answer", choice: number, fingerprint: asked?.fingerprint ?? "" },
    }),
  );
  return [
    ...answers,
    ...(acknowledged === undefined ? [{ label: "Acknowledge", deed: { do: "acknowledge" } } as const] : []),
    ...(kind === "agent" ? [{ label: "Silence 1 h", deed: { do: "silence" } } as const] : []),
    ...(step === undefined ? [] : [{ label: STEPS[step], deed: { do: step } } as const]),
  ];
}

function linksFor({ kind, id, subject, issue }: Incident, page: string | undefined): Pick<Message, "links"> {
  const place = kind === "agent" ? `agents/${subject}` : `incidents/${id}`;
  const links = [
    ...(page === undefined ? [] : [`${page}/${place.split("/").map(encodeURIComponent).join("/")}`]),
    ...(issue === undefined ? [] : [issue.url]),
  ];
  return links.length === 0 ? {} : { links };
}

function isEnd(occasion: Occasion): boolean {
  return occasion === "resolved" || occasion === "past";
}

/** The name that people gave an agent, and its id, which commands take. */
function namedOf(incident: Incident, nameOf: Policy["nameOf"]): string {
  const { kind, subject } = incident;
  const name = kind === "agent" ? nameOf?.(subject) : undefined;
  return name === undefined || name === subject ? calledOf(incident) : `${name} (${subject})`;
}

function titleOf(incident: Incident, occasion: Occasion, nameOf: Policy["nameOf"]): string {
  const { state, kind } = incident;
  const who = namedOf(incident, nameOf);
  if (kind === "reboot") return `${who} rebooted`;
  if (incident.reason === "host-out-of-contact") return hostTitle(who, occasion, incident);
  if (occasion === "past") return `${who} was ${state} while its host was out of contact`;
  if (occasion === "resolved") return `${who}: resolved (${incident.resolved?.how ?? "over"})`;
  if (kind === "group") {
    const many = `${incident.members?.length ?? 0} agents fell silent at once`;
    return occasion === "reminder" ? `${who}: still open: ${many}` : `${who}: ${many}`;
  }
  if (occasion === "flapping")
    return `${who} is flapping: in trouble ${incident.episodes.length} times within a day`;
  if (occasion === "reminder") return `${who} is still ${state}`;
  const given = occasion === "changed" ? givenUp(incident) : undefined;
  if (given !== undefined) return `${who} is still ${state}: Rollcall gave up ${given}`;
  if (occasion === "escalated") return `${who} is ${state} and not acknowledged`;
  return `${who} is ${state}`;
}

/** What Rollcall has stopped trying, by the sentence that says so. */
function givenUp({ why }: Incident): string | undefined {
  const [, done] = /; recovery: (.*)\bgave up$/s.exec(why) ?? [];
  if (done === undefined) return undefined;
  if (/\brestart/.test(done)) return "restarting it";
  return /\bnudge/.test(done) ? "nudging it" : "recovering it";
}

function hostTitle(host: string, occasion: Occasion, { resolved }: Incident): string {
  // A host that was removed or renamed was not heard again.
  if (occasion === "resolved" && (resolved?.how === "removed" || resolved?.how === "renamed"))
    return `${host}: resolved (${resolved.how})`;
  if (occasion === "resolved") return `${host} is back`;
  if (occasion === "reminder") return `${host} is still out of contact`;
  if (occasion === "flapping") return `${host} keeps losing contact`;
  return `${host} is out of contact`;
}

function linesOf(incident: Incident, occasion: Occasion, now: Instant): string[] {
  const since = `since ${sayInstant(incident.since)} (${sayDuration(now - incident.since)})`;
  if (isEnd(occasion)) {
    const lasted = lastedOf(incident, now);
    return [incident.resolved?.why ?? "", `${lasted}; it was ${incident.state}: ${incident.why}`].filter(
      Boolean,
    );
  }
  if (incident.kind === "group") return [incident.why, since, ...membersOf(incident)];
  const asked = askedNow(incident);
  if (asked === undefined) return [incident.why, since];
  const there = incident.host === undefined ? [] : [`Its pane, on ${incident.host}: ${asked.attach}`];
  return [incident.why, since, ...askedLines(asked), ...there];
}

/** How long the last trouble lasted: that is the one that the message names. And how long it all took, if there were several. */
function lastedOf({ resolved, openedAt, againAt }: Incident, now: Instant): string {
  const calm = resolved?.how === "calm" ? CALM : 0;
  const at = (resolved?.at ?? now) - calm;
  if (againAt === undefined) return `lasted ${sayDuration(at - openedAt)}`;
  return `lasted ${sayDuration(at - againAt)}; trouble on and off for ${sayDuration(at - openedAt)}`;
}

/** The agents that cannot work without it, and of which nothing is told meanwhile. */
function dependentsOf(
  { kind, subject }: Incident,
  occasion: Occasion,
  neededBy: Policy["neededBy"],
): string[] {
  const all = kind === "agent" && !isEnd(occasion) ? (neededBy?.(subject) ?? []) : [];
  if (all.length === 0) return [];
  const named = all.slice(0, MEMBERS).join(", ");
  const more = all.length > MEMBERS ? ` and ${all.length - MEMBERS} more` : "";
  return [`Rollcall sends no alerts about the agents that depend on it: ${named}${more}`];
}

function membersOf({ members = [] }: Incident): string[] {
  const named = members.slice(0, MEMBERS).join(", ");
  return [members.length > MEMBERS ? `${named} and ${members.length - MEMBERS} more` : named];
}

function commandsFor(incident: Incident, occasion: Occasion): string[] {
  if (isEnd(occasion)) return [`rollcall incidents show ${incident.id}`];
  if (incident.kind !== "agent") return ["rollcall status", `rollcall incidents ack ${incident.id}`];
  const asked = askedNow(incident);
  if (asked !== undefined)
    return [
      `rollcall answer ${incident.subject}`,
      ...(incident.host === undefined ? [asked.attach] : []),
      `rollcall incidents ack ${incident.id}`,
    ];
  return [
    incident.state === "waiting" || incident.state === "stalled"
      ? `rollcall peek ${incident.subject}`
      : `rollcall explain ${incident.subject}`,
    `rollcall incidents ack ${incident.id}`,
  ];
}
