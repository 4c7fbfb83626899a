import { DAY, HOUR, type Instant, iso, type Millis } from "../duration.ts";
import { type Box, boxesIn, withTicks } from "./boxes.ts";
import { cleaned, codeSpan, shortened } from "./harmless.ts";
import { hasMarker, markerOf } from "./issue.ts";

/** When an issue is looked at again, counted from its creation. */
const FOLLOW_UPS = { "T+1h": HOUR, "T+24h": DAY, "T+7d": 7 * DAY } as const satisfies Record<string, Millis>;
export type FollowUpPoint = keyof typeof FOLLOW_UPS;

/** What is done at a point whose box nobody could tick, and whether recovery closes the issue. */
export interface FollowUpPolicy extends Readonly<Record<FollowUpPoint, "remind" | "escalate" | "nothing">> {
  readonly closeOnRecovery: boolean;
}
export const DEFAULT_POLICY: FollowUpPolicy = {
  "T+1h": "remind",
  "T+24h": "remind",
  "T+7d": "escalate",
  closeOnRecovery: false,
};

/** What the forge says of an issue, and what we know ourselves. */
export interface FollowedIssue {
  readonly key: string;
  readonly createdAt: Instant;
  readonly state: "open" | "closed";
  readonly body: string;
  readonly comments: readonly { readonly body: string }[];
  readonly recovered?: Recovered;
}

/** Since when the agent is well again by our own observation, and what we saw. */
export interface Recovered {
  readonly at: Instant;
  readonly saw: string;
}

export interface FollowUp {
  /** The body with what could be verified ticked, or undefined if there is nothing to tick. */
  readonly body?: string;
  /** A comment to add, at most one at a time. */
  readonly say?: {
    readonly point: FollowUpPoint;
    readonly how: "remind" | "escalate";
    readonly comment: string;
  };
  /** The agent is well again, and nobody has said so yet. */
  readonly recovery?: { readonly comment: string; readonly close: boolean };
}

/** The points that have passed, in their order. */
export function pointsPassed(createdAt: Instant, now: Instant): readonly FollowUpPoint[] {
  return (Object.keys(FOLLOW_UPS) as FollowUpPoint[]).filter((point) => now - createdAt >= FOLLOW_UPS[point]);
}

/** When the next point comes, or undefined if all have passed. */
export function nextPoint(createdAt: Instant, now: Instant): Instant | undefined {
  return Object.values(FOLLOW_UPS)
    .map((length) => createdAt + length)
    .find((at) => at > now);
}

const LONGEST_SIGHT = 300;

/** Every comment of ours begins with a marker: so we know ours from those of others, and what was said already. */
const OURS = "<!-- rollcall:";

/**
 * What to do about an issue now. It is a function of what stands in the forge, so that a restart says nothing twice.
 * Of several points that have passed only the last one is told: a reminder of the first hour helps nobody after a week.
 */
export function followUp(
  issue: FollowedIssue,
  now: Instant,
  policy: FollowUpPolicy = DEFAULT_POLICY,
): FollowUp {
  if (issue.state === "closed") return {};
  const boxes = boxesIn(issue.body);
  const verified = verifiedBoxes(issue, boxes);
  const recovery = recoveryOf(issue, policy);
  const said = wordOf(issue, boxes, now, policy);
  return {
    ...(verified.length === 0 ? {} : { body: withTicks(issue.body, verified) }),
    ...(said === undefined ? {} : { say: said }),
    ...(recovery === undefined ? {} : { recovery }),
  };
}

function wordOf(
  issue: FollowedIssue,
  boxes: readonly Box[],
  now: Instant,
  policy: FollowUpPolicy,
): FollowUp["say"] {
  const point = pointsPassed(issue.createdAt, now).at(-1);
  if (point === undefined || isDone(issue, boxes, point) || wasSaid(issue, followUpMarker(issue.key, point)))
    return undefined;
  const how = policy[point];
  return how === "nothing" ? undefined : { point, how, comment: commentFor(issue, point, how) };
}

function recoveryOf(issue: FollowedIssue, { closeOnRecovery }: FollowUpPolicy): FollowUp["recovery"] {
  const { key, recovered } = issue;
  const marker = markerOf(`${key}:recovered`);
  if (recovered === undefined || wasSaid(issue, marker)) return undefined;
  const saw = codeSpan(shortened(cleaned(recovered.saw), LONGEST_SIGHT));
  const next = closeOnRecovery ? "This closes the issue." : "The issue stays open for its root cause.";
  const comment = `${marker}\n**Recovery**: the agent is well again since ${iso(recovered.at)}: ${saw}. ${next}`;
  return { comment, close: closeOnRecovery };
}

/** What we can see ourselves: an answer, a root cause, an agent that is well again. */
function verifiedBoxes(issue: FollowedIssue, boxes: readonly Box[]): Box[] {
  return boxes.filter((box) => {
    if (box.ticked) return false;
    const point = pointOf(box);
    if (point !== undefined) return holds(issue, boxes, point);
    return /^agent healthy again\b/i.test(box.text) && issue.recovered !== undefined;
  });
}

function isDone(issue: FollowedIssue, boxes: readonly Box[], point: FollowUpPoint): boolean {
  return boxes.some((box) => box.ticked && pointOf(box) === point) || holds(issue, boxes, point);
}

function holds(issue: FollowedIssue, boxes: readonly Box[], point: FollowUpPoint): boolean {
  if (point === "T+1h") return issue.comments.some(({ body }) => !body.startsWith(OURS));
  if (point === "T+24h") return hasRootCause(boxes);
  return issue.recovered !== undefined && hasRootCause(boxes);
}

/** Somebody says so in the checklist, or has answered each of the questions in part at least. */
function hasRootCause(boxes: readonly Box[]): boolean {
  if (boxes.some(({ ticked, text }) => ticked && /^root cause\b/i.test(text))) return true;
  const asked = boxes.filter(({ headings }) => headings.some((each) => /^root cause analysis/i.test(each)));
  const questions = new Set(asked.map(({ headings }) => headings.at(-1)));
  const answered = new Set(asked.filter(({ ticked }) => ticked).map(({ headings }) => headings.at(-1)));
  return questions.size > 0 && answered.size === questions.size;
}

function pointOf({ text }: Box): FollowUpPoint | undefined {
  const named = /^\W*(T\+\d+[hd])\b/.exec(text)?.[1];
  return named !== undefined && named in FOLLOW_UPS ? (named as FollowUpPoint) : undefined;
}

function wasSaid({ comments }: FollowedIssue, marker: string): boolean {
  return comments.some(({ body }) => hasMarker(body, marker));
}

function followUpMarker(key: string, point: FollowUpPoint): string {
  // A plus sign is not in the alphabet of markers.
  return markerOf(`${key}:follow-up:${point.replace("+", "")}`);
}

const MISSING: Readonly<Record<FollowUpPoint, string>> = {
  "T+1h": "an hour after this issue was created nobody has answered",
  "T+24h": "a day after this issue was created no root cause is submitted",
  "T+7d": "a week after this issue was created its resolution is not verified",
};
const NEXT: Readonly<Record<FollowUpPoint, string>> = {
  "T+1h": "A comment of the owner is enough.",
  "T+24h": "Tick what applies under each question, or the root cause in the checklist.",
  "T+7d": "It is verified when the root cause is submitted and the agent has been seen well again.",
};

function commentFor({ key }: FollowedIssue, point: FollowUpPoint, how: "remind" | "escalate"): string {
  const word = how === "remind" ? "Reminder" : "Escalation";
  return `${followUpMarker(key, point)}\n**${word} (${point})**: ${MISSING[point]}. ${NEXT[point]}`;
}
