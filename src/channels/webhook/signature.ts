import { createHmac } from "node:crypto";
import { type Instant, SECOND } from "../../core/duration.ts";

/**
 * `t=<unix>,v1=<hex>`: HMAC-SHA256 of the time, a dot and the body. The time is signed too, so that a receiver can turn
 * away what somebody recorded and sends again.
 */
export function signature(secret: string, body: string, now: Instant): string {
  const t = Math.floor(now / SECOND);
  return `t=${t},v1=${createHmac("sha256", secret).update(`${t}.${body}`).digest("hex")}`;
}
