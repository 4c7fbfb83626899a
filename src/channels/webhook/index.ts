import { createHmac } from "node:crypto";
import { type Instant, SECOND } from "../../core/duration.ts";
import type { Channel } from "../../ports/channel.ts";
import type { SecretReader } from "../../system/secret.ts";
import type { ChannelAdapter } from "../kit/adapter.ts";
import { envelope } from "../kit/envelope.ts";
import { guardedBy } from "../kit/guard.ts";
import { deliver, type HttpService, WEBHOOK_FORM } from "../kit/http.ts";
import { channelObject, oneSecret, openAddress, secretIn } from "../kit/setting-forms.ts";

const webhookSettings = channelObject("webhook", {
  url: openAddress("https://example.org/rollcall")
    .meta({ description: "the address to post to, if it is not a secret" })
    .optional(),
  ...secretIn("url", "contains the address"),
  ...secretIn("secret", "contains the secret that signs messages; secretEnv or secretFile is required"),
})
  .superRefine(oneSecret("url", "needed", "url"))
  .superRefine(oneSecret("secret", "needed"));

export const webhookChannel: ChannelAdapter<typeof webhookSettings> = {
  kind: "webhook",
  settings: webhookSettings,
  open: ({ url }, { secret }) =>
    openWebhook(url === undefined ? secret("url") : known(url), secret("secret")),
};

/** An address that stands in the config, and so is no secret. */
function known(url: string): SecretReader {
  return () => Promise.resolve({ value: url, place: "url" });
}

/** A program of somebody's own, which is told in JSON that is signed. What it answers is not quoted. */
function openWebhook(address: SecretReader, secret: SecretReader): Channel {
  return guardedBy("webhook", address, WEBHOOK_FORM, async (dispatch, to) => {
    const found = await secret();
    if ("problem" in found) return { outcome: "retry", problem: found.problem };
    const url = new URL(to.value);
    const body = envelope(dispatch);
    const headers = { "rollcall-signature": signature(found.value, body, Date.now()) };
    const service: HttpService = {
      name: "the webhook",
      secrets: [to.value, found.value],
      advice: {
        401: `the receiver does not accept the signature; check the secret in ${found.place}`,
        403: `the receiver does not accept the signature; check the secret in ${found.place}`,
        404: `there is no receiver at this address; check the address in ${to.place}`,
        413: "the message is too large for the receiver; let it accept 1 MB",
        other: "the receiver refused it; see the receiver's own log",
      },
    };
    return await deliver(dispatch.key, { url, headers, body }, service, dispatch.abort);
  });
}

/**
 * `t=<unix>,v1=<hex>`: HMAC-SHA256 of the time, a dot and the body. The time is signed too, so that a receiver can turn
 * away what somebody recorded and sends again.
 */
export function signature(secret: string, body: string, now: Instant): string {
  const t = Math.floor(now / SECOND);
  return `t=${t},v1=${createHmac("sha256", secret).update(`${t}.${body}`).digest("hex")}`;
}
