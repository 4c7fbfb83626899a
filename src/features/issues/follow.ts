import type { Delivery } from "../../core/delivery/delivery.ts";
import { DAY, type Instant } from "../../core/duration.ts";
import { REOPENS_WITHIN } from "../../core/incident/incident.ts";
import type { FiledIssue } from "../../core/rca/filed-issue.ts";
import {
  DEFAULT_POLICY,
  type FollowUp,
  type FollowUpPoint,
  followUp,
  nextPoint,
  pointsPassed,
  type Recovered,
} from "../../core/rca/follow-up.ts";
import { hasMarker } from "../../core/rca/issue.ts";
import type { Forge, Trouble } from "../../ports/forge.ts";
import type { Store } from "../../ports/store.ts";
import type { Watcher } from "../../watch/watcher.ts";

export interface FollowOptions {
  readonly watcher: Pick<Watcher, "persist">;
  readonly store: Pick<Store, "incidents" | "deliveries">;
  readonly closeOnRecovery: boolean;
  /** Who is told of an issue that nobody resolves. */
  readonly escalateTo: readonly string[];
  /** Since when the tick of a month is healthy, if it is; in this folder of ticks, or in that of the config. */
  readonly healthyTick: (
    agent: string,
    month: string,
    now: Instant,
    ticks: string | undefined,
  ) => Recovered | undefined;
}

/** A tick that has not become healthy by then is not waited for any more. */
const WAITED_FOR = 31 * DAY;

/**
 * Whether nothing can be to do about an issue: its next point is still to come, and its recovery has been told, or its
 * incident is still open. Asked of every issue once a minute, so that the store need not be.
 */
export function isAtRest(
  { nextAt, recovered, incident }: FiledIssue,
  open: ReadonlySet<string>,
  now: Instant,
): boolean {
  if (nextAt !== null && now >= nextAt) return false;
  return (recovered && nextAt !== null) || (incident !== undefined && open.has(incident));
}

/** What is to be done about an issue at the forge, or undefined if there is nothing at the moment. */
export async function follow(
  issue: FiledIssue,
  options: FollowOptions,
  now: Instant,
): Promise<((forge: Forge) => Promise<Trouble | undefined>) | undefined> {
  const due = issue.nextAt !== null && now >= issue.nextAt;
  const { recovered, waits } = await outlook(issue, options, now);
  const untold = recovered !== undefined && !issue.recovered ? recovered : undefined;
  // Trouble that comes back at once is the same incident: what is closed for good waits for that.
  const tells =
    untold !== undefined &&
    (!options.closeOnRecovery || now - untold.at >= REOPENS_WITHIN || now < untold.at);
  if (due || tells) {
    return (forge) => look({ issue, recovered: tells ? untold : undefined, waits }, forge, options, now);
  }
  if (issue.nextAt === null && !waits && untold === undefined) {
    await options.watcher.persist({ issues: [{ ...issue, closed: true }] });
  }
  return undefined;
}

interface Outlook {
  readonly recovered?: Recovered | undefined;
  /** Whether the agent may still recover under our eyes. */
  readonly waits: boolean;
}

async function outlook(issue: FiledIssue, options: FollowOptions, now: Instant): Promise<Outlook> {
  const { agent, incident, month, ticks, createdAt } = issue;
  if (month !== undefined) {
    const recovered = options.healthyTick(agent, month, now, ticks);
    return { recovered, waits: recovered === undefined && now - createdAt < WAITED_FOR };
  }
  const found = incident === undefined ? undefined : await options.store.incidents.one(incident);
  if (found === undefined) return { waits: false };
  const { resolved } = found;
  if (resolved === undefined) return { waits: true };
  // What somebody ended by hand, paused or removed was not seen to be well.
  const wasSeen = resolved.how === "recovered" || resolved.how === "calm";
  return wasSeen ? { recovered: { at: resolved.at, saw: resolved.why }, waits: false } : { waits: false };
}

/** Looks at the issue and does what the rules say. What was done before a failure is seen the next time. */
async function look(
  { issue, recovered, waits }: Outlook & { readonly issue: FiledIssue },
  forge: Forge,
  { watcher, store, escalateTo, closeOnRecovery }: FollowOptions,
  now: Instant,
): Promise<Trouble | undefined> {
  const { number, key, createdAt } = issue;
  const said = await forge.comments(number);
  if (said.outcome !== "done") return said;
  // Read last, and changed at once: what people write meanwhile is not overwritten.
  const read = await forge.read(number);
  if (read.outcome !== "done") return read;
  const { body, state } = read.issue;
  if (!hasMarker(body, issue.marker)) {
    // Another repository was configured, or somebody took the marker out: it is not ours to write to.
    await watcher.persist({ issues: [{ ...issue, closed: true }] });
    return undefined;
  }
  const known = { key, createdAt, state, body, comments: said.comments };
  const todo = followUp({ ...known, ...(recovered === undefined ? {} : { recovered }) }, now, {
    ...DEFAULT_POLICY,
    closeOnRecovery,
  });
  if (todo.say?.how === "escalate") await tell(issue, todo.say.point, escalateTo, { watcher, store }, now);
  const closes = closeOnRecovery && recovered !== undefined && state === "open";
  for (const change of changesOf(todo, closes)) {
    const done = await ("comment" in change
      ? forge.comment(number, change.comment)
      : forge.edit(number, change));
    if (done.outcome !== "done") return done;
  }
  const isClosed = closes || state === "closed";
  await watcher.persist({ issues: [followed(issue, { recovered, waits }, isClosed, now)] });
  return undefined;
}

function followed(
  issue: FiledIssue,
  { recovered, waits }: Outlook,
  isClosed: boolean,
  now: Instant,
): FiledIssue {
  const nextAt = nextPoint(issue.createdAt, now) ?? null;
  return {
    ...issue,
    nextAt,
    followed: pointsPassed(issue.createdAt, now),
    recovered: issue.recovered || recovered !== undefined,
    closed: isClosed || (nextAt === null && !waits),
  };
}

type Change = Parameters<Forge["edit"]>[1] | { readonly comment: string };

/** What is to be done at the forge, in its order. */
function changesOf({ body, say, recovery }: FollowUp, closes: boolean): readonly Change[] {
  return [
    ...(body === undefined ? [] : [{ body }]),
    ...[say, recovery].filter((said) => said !== undefined),
    ...(closes ? [{ state: "closed" } as const] : []),
  ];
}

/** Tells people that an issue is stuck. It comes before the comment, and its key keeps it from being told twice. */
async function tell(
  { key, agent, number, url, incident }: FiledIssue,
  point: FollowUpPoint,
  places: readonly string[],
  { watcher, store }: Pick<FollowOptions, "watcher" | "store">,
  now: Instant,
): Promise<void> {
  const deliveries: Delivery[] = [];
  for (const place of places) {
    const delivery: Delivery = {
      key: `issue:${key}:${point}:${place}`,
      to: place,
      about: agent,
      ...(incident === undefined ? {} : { incident }),
      says: "other",
      message: {
        severity: "warning",
        title: `${agent}: root-cause issue #${number} is not resolved`,
        lines: [`${point}: its root cause is not submitted, or the agent was not seen well again`],
        links: [url],
        data: { issue: { number, url }, agent, point, incident: incident ?? null },
      },
      ...{ createdAt: now, dueAt: now, state: "pending", attempts: 0 },
    };
    if ((await store.deliveries.one(delivery.key)) === undefined) deliveries.push(delivery);
  }
  await watcher.persist({ deliveries });
}
