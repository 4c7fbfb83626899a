import type { Channel } from "../../ports/channel.ts";
import type { SecretReader } from "../../system/secret.ts";
import type { ChannelAdapter } from "../kit/adapter.ts";
import { envelope } from "../kit/envelope.ts";
import { guarded } from "../kit/guard.ts";
import { deliver, httpAddress, type Service } from "../kit/http.ts";
import { webhookSettings } from "./settings.ts";
import { signature } from "./signature.ts";

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
  return guarded("webhook", async (dispatch) => {
    const [to, found] = [await address(), await secret()];
    if ("problem" in to) return { outcome: "retry", problem: to.problem };
    if ("problem" in found) return { outcome: "retry", problem: found.problem };
    const url = httpAddress(to.value);
    if (url === undefined) {
      return { outcome: "retry", problem: `${to.place} does not contain a webhook address` };
    }
    const body = envelope(dispatch);
    const headers = { "rollcall-signature": signature(found.value, body, Date.now()) };
    const service: Service = {
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
