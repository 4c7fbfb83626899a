import { MINUTE, sayAgo, sayDuration } from "../../core/duration.ts";
import type { DeliveryView, ToldView } from "../../views/show.ts";
import { clock, plain } from "./terminal.ts";

/** `told team 12 min ago`, or `team has not been told: …`. */
export function sayTold(told: ToldView, now: number): string {
  const { place, deliveredAt, delivered, undelivered, dueAt, held } = told;
  const what = undelivered === 1 ? "1 message" : `${undelivered} messages`;
  const wait = dueAt == null ? 0 : Date.parse(dueAt) - now;
  // A message that is held back, or that waits for others to go out with it, is no failure.
  if (held != null || wait > 0) {
    const soon =
      held == null
        ? `${what} will be sent in ${sayDuration(wait)} (policy.group)`
        : `${what} ${sayHeld(held)}`;
    if (deliveredAt === null) return `${plain(place)}: ${soon}`;
    return `told ${plain(place)} ${sayAgo(now - Date.parse(deliveredAt))}; ${soon}`;
  }
  const waits = undelivered === 0 ? "" : sayWaits(told, now);
  if (deliveredAt === null) return `${plain(place)} has not been told: ${waits}`;
  const more =
    delivered < 2 ? "" : delivered === 2 ? ", and once since" : `, and ${delivered - 1} times since`;
  const first = `told ${plain(place)} ${sayAgo(now - Date.parse(deliveredAt))}${more}`;
  return waits === "" ? first : `${first}; since then ${waits}`;
}

const HOLDERS = { mute: "a mute", window: "a maintenance window", "quiet hours": "quiet hours" } as const;

/** `held back until 14:05:00 by a mute`. */
export function sayHeld({ until, by }: NonNullable<ToldView["held"]>): string {
  return `held back until ${clock(until)} by ${HOLDERS[by]}`;
}

function sayWaits({ undelivered, since, attempts, problem }: ToldView, now: number): string {
  const what = undelivered === 1 ? "1 message" : `${undelivered} messages`;
  const wait = since === null ? "" : `, the oldest for ${sayDuration(now - Date.parse(since))}`;
  return `${what} not delivered${wait}${sayAttempts(attempts, problem)}`;
}

/** `, 22 attempts failed, last: connection refused`. */
export function sayAttempts(attempts: number, problem: string | null): string {
  if (attempts === 0) return ", not tried yet";
  const count = attempts === 1 ? "1 attempt failed" : `${attempts} attempts failed`;
  return `, ${count}${problem === null ? "" : `, last: ${plain(problem)}`}`;
}

/** How long after it was due a message that was never tried counts as held up by those before it. */
const HELD_UP = MINUTE;

/** `held` by a mute, `failing` once an attempt failed, `overdue` behind others that fail: what is in trouble must not read as calm. */
export function sayState({ state, attempts, dueAt, held }: DeliveryView, now: number): string {
  if (held != null) return "held";
  if (state !== "pending" && state !== "sending") return state;
  if (attempts > 0) return "failing";
  return now - Date.parse(dueAt) > HELD_UP ? "overdue" : state;
}
