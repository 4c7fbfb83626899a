import type { Message } from "../delivery/message.ts";
import { type Instant, iso, sayDuration } from "../duration.ts";
import { redact } from "../redact.ts";
import { calledOf, hostOf, type Incident } from "./incident.ts";

/** Why a message is sent now. */
export type Occasion = "opened" | "changed" | "reminder" | "escalated" | "flapping" | "resolved" | "past";

const MEMBERS = 20;

/** The message about an incident: the agent, its state, since when, why, and the commands to run now. */
export function wordsFor(told: Incident, occasion: Occasion, now: Instant): Message {
  // What an agent says of itself may hold a secret, and goes to places that keep everything.
  const incident = { ...told, why: redact(told.why) };
  const host = hostOf(incident);
  return {
    severity: isEnd(occasion) ? "resolved" : incident.kind === "reboot" ? "info" : incident.severity,
    title: titleOf(incident, occasion),
    lines: linesOf(incident, occasion, now),
    commands: commandsFor(incident, occasion),
    ...(incident.issue === undefined ? {} : { links: [incident.issue.url] }),
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
    },
  };
}

function isEnd(occasion: Occasion): boolean {
  return occasion === "resolved" || occasion === "past";
}

function titleOf(incident: Incident, occasion: Occasion): string {
  const { state, kind } = incident;
  const who = calledOf(incident);
  if (kind === "reboot") return `${who} rebooted`;
  if (incident.reason === "host-out-of-contact") return hostTitle(who, occasion);
  if (occasion === "past") return `${who} was ${state} while its host was out of contact`;
  if (occasion === "resolved") return `${who}: resolved (${incident.resolved?.how ?? "over"})`;
  if (kind === "group") {
    const many = `${incident.members?.length ?? 0} agents fell silent at once`;
    return occasion === "reminder" ? `${who}: still open: ${many}` : `${who}: ${many}`;
  }
  if (occasion === "flapping")
    return `${who} is flapping: in trouble ${incident.episodes.length} times within a day`;
  if (occasion === "reminder") return `${who} is still ${state}`;
  if (occasion === "escalated") return `${who} is ${state} and not acknowledged`;
  return `${who} is ${state}`;
}

function hostTitle(host: string, occasion: Occasion): string {
  if (occasion === "resolved") return `${host} is back`;
  if (occasion === "reminder") return `${host} is still out of contact`;
  if (occasion === "flapping") return `${host} keeps losing contact`;
  return `${host} is out of contact`;
}

function linesOf(incident: Incident, occasion: Occasion, now: Instant): string[] {
  const since = `since ${iso(incident.since)} (${sayDuration(now - incident.since)})`;
  if (isEnd(occasion)) {
    const at = incident.resolved?.at ?? now;
    const lasted = `lasted ${sayDuration(at - incident.openedAt)}`;
    return [incident.resolved?.why ?? "", `${lasted}; it was ${incident.state}: ${incident.why}`].filter(
      Boolean,
    );
  }
  if (incident.kind === "group") return [incident.why, since, ...membersOf(incident)];
  return [incident.why, since];
}

function membersOf({ members = [] }: Incident): string[] {
  const named = members.slice(0, MEMBERS).join(", ");
  return [members.length > MEMBERS ? `${named} and ${members.length - MEMBERS} more` : named];
}

function commandsFor(incident: Incident, occasion: Occasion): string[] {
  if (isEnd(occasion)) return [`rollcall incidents show ${incident.id}`];
  if (incident.kind !== "agent") return ["rollcall status", `rollcall incidents ack ${incident.id}`];
  return [
    incident.state === "waiting" || incident.state === "stalled"
      ? `rollcall peek ${incident.subject}`
      : `rollcall explain ${incident.subject}`,
    `rollcall incidents ack ${incident.id}`,
  ];
}
