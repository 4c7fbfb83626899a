import type { Asks } from "../asks.ts";
import type { Incarnation } from "../beat.ts";
import type { Instant, Millis } from "../duration.ts";
import { given } from "../given.ts";
import { NO_CALLS, repeatsOf, somethingNew, type ToolCalls, withCall } from "../liveness/calls.ts";
import type { Context, Observation, Reading } from "../liveness/observation.ts";
import { NO_USAGE, type Usage, withSpent } from "../usage/usage.ts";
import type { HookClient, HookEvent } from "./event.ts";

/** What is known of one session of a client: plain data, which survives a restart. */
export interface HookSession {
  readonly client: HookClient;
  readonly id: string;
  readonly cwd?: string;
  /** The client's process, where it is known. */
  readonly life?: Incarnation;
  /** How long the machine had been up when the newest event left the client. */
  readonly sent: Millis;
  /** When the newest event arrived, since when the reading holds, and when it last did something. */
  readonly seenAt: Instant;
  readonly at: Instant;
  readonly progressAt: Instant;
  readonly reading: Reading;
  readonly context: Context;
  readonly detail?: string;
  readonly asks?: Asks;
  readonly doing?: string;
  readonly resetAt?: Instant;
  /** Who asked: a sub-agent, or the session itself (empty). */
  readonly askedBy?: string;
  /** The turn is over, and only sub-agents go on. */
  readonly isOver: boolean;
  /** Its last event was of a client that tells only the ends of its turns. */
  readonly endsOnly?: true;
  readonly children: readonly string[];
  readonly endedAt?: Instant;
  readonly reason?: string;
  readonly contextShare?: number;
  readonly cost?: number;
  readonly calls?: ToolCalls;
  readonly usage?: Usage;
}

/** How an event came to us. */
export interface HookReceived {
  readonly client: HookClient;
  readonly now: Instant;
  /** How long the machine had been up when the event left its client: events may overtake each other on their way. */
  readonly sent: Millis;
  readonly life?: Incarnation | undefined;
  /** So many calls in a row earlier sessions of the agent repeated without being in a loop. */
  readonly longest?: number | undefined;
  /** The day of `now`, by the clock of the host. */
  readonly day?: string;
}

/** A helper that is forgotten ends nothing and holds nobody up: this many are told apart. */
const CHILDREN = 64;

/** The session after an event. */
export function sessionAfter(
  known: HookSession | undefined,
  event: HookEvent,
  { client, now, sent, life, longest = 0, day = "" }: HookReceived,
): HookSession {
  const { endsOnly: _was, ...before } = known ?? begun(client, event, now, sent);
  const children = childrenAfter(before.children, event);
  const more = given({
    cwd: before.cwd ?? event.cwd,
    endsOnly: event.endsOnly,
    life: life ?? before.life,
    contextShare: event.contextShare ?? before.contextShare,
    cost: event.cost ?? before.cost,
    usage: usageAfter(before, event, now, day),
    calls: callsAfter(before.calls ?? { ...NO_CALLS, longest, newAt: now }, event, now),
  });
  // What was overtaken by a newer event is told already.
  if (sent < before.sent) return { ...before, ...more, children };
  const heard = { ...before, ...more, children, sent, seenAt: now };
  const { endedAt: _, reason: __, ...alive } = heard;
  switch (event.says) {
    case "nothing":
      return heard;
    case "ended":
      return { ...heard, endedAt: now, ...given({ reason: event.reason }) };
    case "started":
      return rests({ ...alive, children: [] }, now);
    case "idle":
      // That the prompt is there again says nothing of why the turn ended.
      if (event.detail === "prompt" && (before.reading === "login" || before.reading === "limited"))
        return heard;
      return children.length === 0 ? rests(alive, now) : helpersGoOn({ ...alive, isOver: true }, now);
    case "child-began":
      return { ...helpersGoOn(alive, now), isOver: before.isOver };
    case "child-ended":
      return afterChild(alive, event, now);
    case "working":
    case "retrying":
      return works(alive, event, now);
    default:
      return holds(alive, event, now);
  }
}

function begun(client: HookClient, { session, cwd }: HookEvent, now: Instant, sent: Millis): HookSession {
  return {
    ...{ client, id: session, sent, seenAt: now, at: now, progressAt: now },
    ...given({ cwd }),
    ...{ reading: "idle", context: "unknown", isOver: true, children: [] },
  };
}

function childrenAfter(children: readonly string[], { says, child }: HookEvent): readonly string[] {
  if (child === undefined) return children;
  const others = children.filter((one) => one !== child);
  if (says === "child-ended") return others;
  return says === "child-began" ? [...others, child].slice(-CHILDREN) : children;
}

/** A client tells what its session has cost so far. */
function usageAfter(before: HookSession, event: HookEvent, now: Instant, day: string): Usage | undefined {
  const { cost: total, contextShare: context, limits, compacted } = event;
  if ([total, context, limits, compacted].every((each) => each === undefined)) return before.usage;
  const known = before.cost ?? 0;
  const cost = total === undefined ? undefined : total < known ? total : total - known;
  return withSpent(before.usage ?? NO_USAGE, given({ cost, context, limits, compacted }), now, day);
}

function callsAfter(calls: ToolCalls, { call, prompted }: HookEvent, now: Instant): ToolCalls {
  if (prompted === true) return somethingNew(calls, now);
  return call === undefined ? calls : withCall(calls, call, now);
}

type Alive = Omit<HookSession, "endedAt" | "reason">;

/** Without what the last reading told. */
function plain({ detail: _, asks: __, doing: ___, resetAt: ____, askedBy: _____, ...rest }: Alive): Alive {
  return rest;
}

function since(before: Alive, reading: Reading, now: Instant): Instant {
  return before.reading === reading ? before.at : now;
}

function rests(before: Alive, now: Instant): HookSession {
  const at = since(before, "idle", now);
  return { ...plain(before), at, progressAt: now, reading: "idle", context: "unknown", isOver: true };
}

/** A parent that waits for its helpers is working. */
function helpersGoOn(before: Alive, now: Instant): HookSession {
  if (isHeld(before)) return before;
  const at = since(before, "working", now);
  return { ...plain(before), at, progressAt: now, reading: "working", context: "tool" };
}

function afterChild(before: Alive, { child }: HookEvent, now: Instant): HookSession {
  const isAnswered = isHeld(before) && before.askedBy === child;
  if (isHeld(before) && !isAnswered) return before;
  if (before.isOver && before.children.length === 0) return rests(before, now);
  const at = since(before, "working", now);
  const context = before.children.length === 0 ? "model" : "tool";
  return { ...plain(before), at, progressAt: now, reading: "working", context };
}

function isHeld({ reading }: Pick<HookSession, "reading">): boolean {
  return reading === "waiting";
}

/**
 * It works. A question stays open while others go on beside it: that another tool begins, or that another sub-agent does something,
 * answers nothing.
 */
function works(before: Alive, event: HookEvent, now: Instant): HookSession {
  const { says, context, tool, command, child = "", resetAt } = event;
  const begins = context === "tool" && tool !== undefined;
  // Some clients say that a tool begins before they ask for it, and some when it was allowed.
  const isAllowed =
    begins && before.detail === "permission" && before.asks?.question === (command ?? `use ${tool}`);
  const isOther = (begins && !isAllowed) || (before.askedBy ?? "") !== child;
  if (isHeld(before) && isOther) return { ...before, progressAt: now };
  const reading = says === "retrying" ? "retrying" : "working";
  const doing = begins ? [tool, command].filter(Boolean).join(": ") : undefined;
  return {
    ...plain(before),
    ...{ at: since(before, reading, now), progressAt: now, reading, context },
    ...given({ doing, resetAt }),
    isOver: child !== "" && before.isOver,
  };
}

/** A person, a login or the clock must come first. */
function holds(before: Alive, event: HookEvent, now: Instant): HookSession {
  const { says, detail, asks, resetAt, child = "" } = event;
  const reading = says === "login" || says === "limited" ? says : "waiting";
  // The same dialog is often told twice: the tool's own call has the better words.
  const isSame = before.reading === reading && before.detail === detail;
  const words = isSame && event.tool === undefined ? (before.asks ?? asks) : asks;
  return {
    ...plain(before),
    ...{ at: isSame ? before.at : now, progressAt: now, reading, context: "unknown" },
    ...given({ detail, asks: words, resetAt }),
    ...{ askedBy: child, isOver: reading !== "waiting" },
  };
}

/** Which session of several speaks for the agent: whatever needs a person first, then the clock, then work. */
const ORDER: readonly Reading[] = ["waiting", "login", "limited", "retrying", "working", "idle"];

/** What the sessions of one agent say of it. */
export function factsOfSessions(sessions: readonly HookSession[], now: Instant): readonly Observation[] {
  const live = sessions.filter(({ endedAt }) => endedAt === undefined);
  if (live.length === 0) return endOf(sessions, now);
  const [first, ...rest] = live;
  if (first === undefined) return [];
  const speaks = rest.reduce((best, one) => (rank(one) < rank(best) ? one : best), first);
  const newest = live.reduce((a, b) => (b.seenAt > a.seenAt ? b : a));
  const { reading, context, at, detail, asks, doing, resetAt, endsOnly } = speaks;
  return [
    { kind: "present", signal: "hook", at: newest.seenAt, ...given({ incarnation: speaks.life }) },
    {
      ...{ kind: "reading", signal: "hook", at, seenAt: newest.seenAt, reading, context },
      progressAt: Math.max(...live.map(({ progressAt }) => progressAt)),
      ...given({ detail, asks, doing, resetAt, endsOnly }),
    },
    ...repeating(live),
  ];
}

/** The session that speaks is not always the one that repeats itself. */
function repeating(live: readonly HookSession[]): readonly Observation[] {
  const facts = live.flatMap(({ calls, seenAt }) =>
    calls === undefined ? [] : [repeatsOf(calls, "hook", seenAt)],
  );
  const [first, ...rest] = facts;
  return first === undefined ? [] : [rest.reduce((a, b) => (b.calls > a.calls ? b : a), first)];
}

function rank({ reading, seenAt }: HookSession): number {
  // Of two that say the same the newer one speaks.
  return ORDER.indexOf(reading) - seenAt / 1e14;
}

/** How clients say that a person ended the session. */
const BY_HAND = /^(?:prompt_input_exit|logout|exit|user_exit)$/;

/** The last session has ended. It ended well if its turn was over, or if a person ended it. */
function endOf(sessions: readonly HookSession[], now: Instant): readonly Observation[] {
  const [first, ...rest] = sessions;
  if (first === undefined) return [];
  const last = rest.reduce((a, b) => ((b.endedAt ?? 0) > (a.endedAt ?? 0) ? b : a), first);
  const { endedAt = now, reading, reason, life } = last;
  return [
    {
      ...{
        kind: "gone",
        signal: "hook",
        at: endedAt,
        seenAt: endedAt,
        clean: reading === "idle" || BY_HAND.test(reason ?? ""),
      },
      exit: reason ?? "session ended",
      ...(BY_HAND.test(reason ?? "") ? { byHand: true as const } : {}),
      ...given({ incarnation: life }),
    },
  ];
}
