import { type AgentQuestion, askedBriefly, isAsked } from "../agent-question.ts";
import type { Instant } from "../duration.ts";
import { grouped } from "../grouped.ts";
import { type Delivery, isUnderWay } from "./delivery.ts";
import type { Message } from "./message.ts";

/** The deliveries that go to one place as one message, under one key. */
export interface Batch {
  readonly key: string;
  readonly deliveries: readonly Delivery[];
}

/** The most that one message names one by one. */
const NAMED = 20;

/**
 * What is next for one place, of all that is under way for it. What was claimed before goes first and unchanged, so that
 * a repetition says the same under the same key; else everything that is due, in its order, and what was queued while the
 * first of that waited: its window is over for all of them.
 */
export function nextBatch(deliveries: readonly Delivery[], now: Instant): Batch | undefined {
  const open = inSequence(deliveries.filter(isUnderWay));
  const claimed = claimedBefore(open);
  if (claimed !== undefined)
    return claimed.deliveries.every((each) => isDue(each, now)) ? claimed : undefined;
  const first = open.find((each) => isDue(each, now));
  if (first === undefined) return undefined;
  const isWithin = ({ createdAt: at }: Delivery) => at >= first.createdAt && at <= first.dueAt;
  const together = open.filter((each) => isDue(each, now) || isWithin(each));
  return { key: together.length === 1 ? first.key : `group:${first.key}`, deliveries: together };
}

function claimedBefore(open: readonly Delivery[]): Batch | undefined {
  const key = open.find(({ batch }) => batch !== undefined)?.batch;
  if (key === undefined) return undefined;
  return { key, deliveries: open.filter(({ batch }) => batch === key) };
}

/** If its wait began in the future, the clock was set back meanwhile: then it has waited long enough. */
function isDue({ dueAt, triedAt, createdAt }: Delivery, now: Instant): boolean {
  return dueAt <= now || (triedAt ?? createdAt) > now;
}

function inOrder(a: Delivery, b: Delivery): number {
  return a.createdAt - b.createdAt || a.dueAt - b.dueAt || (a.key < b.key ? -1 : 1);
}

/** By time; but what is told of one incident keeps its own order, also where the clock was set back in between. */
function inSequence(deliveries: readonly Delivery[]): Delivery[] {
  const sorted = deliveries.toSorted(inOrder);
  const ordered = [...sorted.entries()].filter(
    ([, { incident, change }]) => incident && change !== undefined,
  );
  for (const list of grouped(ordered, ([, { incident = "" }]) => incident).values()) {
    const own = list.map(([, delivery]) => delivery).sort(asItHappened);
    for (const [n, [at]] of list.entries()) sorted[at] = own[n] as Delivery;
  }
  return sorted;
}

function asItHappened(a: Delivery, b: Delivery): number {
  const isEnd = ({ says }: Delivery) => (says === "resolved" ? 1 : 0);
  return (a.change ?? 0) - (b.change ?? 0) || isEnd(a) - isEnd(b) || inOrder(a, b);
}

/** When the next delivery of a place is due. A batch that was claimed before makes all the others wait. */
export function nextDue(deliveries: readonly Delivery[]): Instant {
  const open = inSequence(deliveries.filter(isUnderWay));
  const claimed = claimedBefore(open);
  if (claimed !== undefined) return Math.max(...claimed.deliveries.map(({ dueAt }) => dueAt));
  return Math.min(Number.POSITIVE_INFINITY, ...open.map(({ dueAt }) => dueAt));
}

/**
 * What need not be sent any more: an incident that was over before anybody had been told of it, from its opening to its
 * end. Only what was never attempted is taken away, and never what came after: if it is open again, that is news.
 */
export function overBeforeTold(deliveries: readonly Delivery[], now: Instant): readonly Delivery[] {
  const fresh = inSequence(
    deliveries.filter(
      ({ state, batch, attempts }) => state === "pending" && batch === undefined && attempts === 0,
    ),
  );
  const opened = new Map<string, number>();
  const over = new Set<Delivery>();
  for (const [at, { incident, says, must }] of fresh.entries()) {
    if (incident === undefined || must === true) continue;
    const from = opened.get(incident);
    if (says === "opened" && from === undefined) opened.set(incident, at);
    if (says !== "resolved" || from === undefined) continue;
    for (const each of fresh.slice(from, at + 1)) if (each.incident === incident) over.add(each);
    opened.delete(incident);
  }
  return [...over].map((delivery) => ({
    ...delivery,
    state: "superseded",
    problem: "the incident was over before its first message was sent",
    endedAt: now,
  }));
}

const RANK = { info: 0, resolved: 1, warning: 2, critical: 3 } as const;

/** One message for a whole batch. */
export function merged({ key, deliveries }: Batch): Message {
  const messages = deliveries.map(({ message }) => message);
  const [only] = messages;
  if (only !== undefined && messages.length === 1) return only;
  const worst = messages.reduce((a, b) => (RANK[b.severity] > RANK[a.severity] ? b : a));
  const named = messages.slice(0, NAMED).flatMap(({ title, lines, data }) => {
    const [first] = lines;
    const said = first === undefined ? `• ${title}` : `• ${title}: ${first}`;
    return isAsked({ change: 0, attach: "", ...(data?.asked as object) })
      ? [said, `  ${askedBriefly(data?.asked as AgentQuestion)}`]
      : [said];
  });
  const more = Math.max(0, messages.length - NAMED);
  return {
    severity: worst.severity,
    title: `${messages.length} messages: ${countBySeverity(messages)}`,
    lines: more > 0 ? [...named, `… and ${more} more`] : named,
    commands: ["rollcall incidents list", "rollcall status"],
    data: {
      key,
      messages: messages.map(({ severity, title, lines, data }) => ({ severity, title, lines, data })),
    },
  };
}

/** The messages that were merged into one, for a channel that must keep incidents apart; else the message alone. */
export function partsOf(message: Message): readonly Message[] {
  const parts = message.data?.messages;
  return Array.isArray(parts) ? (parts as readonly Message[]) : [message];
}

function countBySeverity(messages: readonly Message[]): string {
  return (["critical", "warning", "resolved", "info"] as const)
    .flatMap((severity) => {
      const count = messages.filter((message) => message.severity === severity).length;
      return count === 0 ? [] : [`${count} ${severity}`];
    })
    .join(", ");
}
