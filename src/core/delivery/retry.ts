import { HOUR, type Instant, MINUTE, type Millis, SECOND } from "../duration.ts";
import type { Delivery } from "./delivery.ts";
import type { Receipt } from "./receipt.ts";

/** An attempt that takes longer than this is given up, and made again. */
export const ATTEMPT: Millis = 30 * SECOND;
const FIRST: Millis = SECOND;
const LONGEST: Millis = MINUTE;
/** What could not be sent for so long is given up, and that is told. */
const GIVEN_UP_AFTER: Millis = 72 * HOUR;
/** The longest wait, also where a far side asks for more: a mistake there must not silence us for a day. */
const LONGEST_WAIT: Millis = HOUR;

/** The wait before the next attempt: 1 s doubling to 60 s, of which up to a quarter is taken off at random. */
export function backoff(key: string, attempts: number): Millis {
  const whole = Math.min(LONGEST, FIRST * 2 ** Math.min(16, Math.max(0, attempts - 1)));
  return Math.round(whole * (1 - 0.25 * chance(`${key} ${attempts}`)));
}

/** A number in [0, 1) that depends on nothing but the text, so that the rules stay pure (FNV-1a). */
function chance(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  // The low bits of FNV-1a are the weak ones.
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}

/** The delivery after an attempt that ended at `now`. */
export function afterAttempt(delivery: Delivery, receipt: Receipt, now: Instant): Delivery {
  const { problem: _, endedAt: __, ...rest } = delivery;
  const tried = { ...rest, attempts: delivery.attempts + 1, triedAt: now };
  if (receipt.outcome === "sent") {
    const { ref } = receipt;
    return { ...tried, state: "sent", endedAt: now, ...(ref === undefined ? {} : { ref }) };
  }
  const { problem } = receipt;
  if (receipt.outcome === "refused") return { ...tried, state: "refused", problem, endedAt: now };
  if (now - delivery.createdAt >= GIVEN_UP_AFTER)
    return { ...tried, state: "expired", problem, endedAt: now };
  const asked = Math.min(receipt.after ?? 0, LONGEST_WAIT);
  const dueAt = now + Math.max(asked, backoff(delivery.batch ?? delivery.key, tried.attempts));
  return { ...tried, state: "pending", problem, dueAt };
}
