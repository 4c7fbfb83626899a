import type { Instant } from "../duration.ts";
import { grouped } from "../grouped.ts";
import { type Delivery, type Held, isUnderWay } from "./delivery.ts";

/** Whether a place got a message about an incident. */
export interface ToldPlace {
  readonly place: string;
  /** When the first message arrived. */
  readonly deliveredAt?: Instant;
  /** How many messages arrived, and how many did not. */
  readonly delivered: number;
  readonly undelivered: number;
  /** Of those that did not arrive: since when the oldest waits, how often it was tried, and how that failed last. */
  readonly since?: Instant;
  readonly attempts: number;
  readonly problem?: string;
  /** When the first of them is due, if none was tried yet. */
  readonly dueAt?: Instant;
  /** What holds them back, if that is all that they wait for. */
  readonly held?: Held;
}

/** The places that got messages about one incident, and those that did not. Superseded messages do not count. */
export function toldOf(
  deliveries: readonly Delivery[],
  heldOf: (delivery: Delivery) => Held | undefined = () => undefined,
): readonly ToldPlace[] {
  const counting = deliveries.filter(({ state }) => state !== "superseded");
  return [...grouped(counting, ({ to }) => to)]
    .map(([place, all]): ToldPlace => {
      const sent = all.filter(({ state }) => state === "sent");
      const missing = all.filter(({ state }) => state !== "sent");
      const deliveredAt = Math.min(...sent.map(({ endedAt, createdAt }) => endedAt ?? createdAt));
      return {
        place,
        ...(sent.length === 0 ? {} : { deliveredAt }),
        delivered: sent.length,
        ...failure(missing),
        ...dueOf(missing),
        ...heldBack(missing.map(heldOf)),
      };
    })
    .sort((a, b) => (a.place < b.place ? -1 : 1));
}

/** A channel that delivers nothing at the moment. */
export interface FailingPlace
  extends Required<Omit<ToldPlace, "deliveredAt" | "delivered" | "dueAt" | "held">> {}

/** One failed attempt, or two, is a hiccup: the third is made some seconds later. */
const HICCUPS = 2;

/**
 * What is wrong with a place, by its messages that are under way and the newest that ended: attempts fail, or the newest
 * message was refused or given up.
 */
export function failingOf(place: string, deliveries: readonly Delivery[]): FailingPlace | undefined {
  const tried = deliveries.filter((each) => isUnderWay(each) && each.attempts > HICCUPS);
  const arrived = Math.max(
    ...deliveries.map(({ state, endedAt = 0 }) => (state === "sent" ? endedAt : 0)),
    0,
  );
  const lost = deliveries.filter(({ state, endedAt = 0 }) => {
    return (state === "refused" || state === "expired") && endedAt > arrived;
  });
  if (tried.length + lost.length === 0) return undefined;
  const { attempts, since = 0, problem = "the reason is not known" } = failure([...tried, ...lost]);
  // What waits behind a message that fails is not delivered either.
  const waiting = tried.length === 0 ? 0 : deliveries.filter(isUnderWay).length;
  return { place, undelivered: waiting + lost.length, since, attempts, problem };
}

function dueOf(missing: readonly Delivery[]): Pick<ToldPlace, "dueAt"> {
  const isNew = missing.length > 0 && missing.every((each) => isUnderWay(each) && each.attempts === 0);
  return isNew ? { dueAt: Math.min(...missing.map(({ dueAt }) => dueAt)) } : {};
}

/** What ends first of that which holds them back; nothing if one of them is free. */
function heldBack(missing: readonly (Held | undefined)[]): Pick<ToldPlace, "held"> {
  const held = missing.filter((each) => each !== undefined);
  const [first] = held.toSorted((a, b) => a.until - b.until);
  return first === undefined || held.length < missing.length ? {} : { held: first };
}

function failure(
  missing: readonly Delivery[],
): Pick<ToldPlace, "undelivered" | "since" | "attempts" | "problem"> {
  if (missing.length === 0) return { undelivered: 0, attempts: 0 };
  const last = missing.reduce((a, b) => ((b.triedAt ?? 0) > (a.triedAt ?? 0) ? b : a));
  return {
    undelivered: missing.length,
    since: Math.min(...missing.map(({ createdAt }) => createdAt)),
    attempts: Math.max(...missing.map(({ attempts }) => attempts)),
    ...(last.problem === undefined ? {} : { problem: last.problem }),
  };
}
