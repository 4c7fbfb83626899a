import { createHash } from "node:crypto";
import type * as z from "zod";
import type { Channel } from "../../ports/channel.ts";
import { text } from "../../ports/setting-forms.ts";
import { afterSeconds } from "../../system/retry-after.ts";
import type { SecretReader } from "../../system/secret.ts";
import type { ChannelAdapter } from "../kit/adapter.ts";
import { compose, type Dress } from "../kit/compose.ts";
import { guardedBy } from "../kit/guard.ts";
import { deliver, type HttpService, jsonOf } from "../kit/http.ts";
import { defuse, escapeHtml } from "../kit/plain.ts";
import { channelObject, oneSecret, openAddress, secretIn } from "../kit/setting-forms.ts";
import { inBytes } from "../kit/shorten.ts";

const ROOM = "the id of a room such as !fleet:example.org (not an alias, which begins with #)";

export const matrixSettings = channelObject("matrix", {
  url: openAddress("https://matrix.example.org").meta({ description: "the address of the homeserver" }),
  room: text(ROOM)
    .regex(/^![^\s/?#]{1,254}$/, ROOM)
    .meta({ description: "the id of the room; the account must be a member" }),
  ...secretIn("token", "holds the access token of the account"),
}).superRefine(oneSecret("token", "needed"));

type MatrixSettings = z.output<typeof matrixSettings>;

/** An event may take 65,536 bytes as JSON: two texts of so many bytes fit even if JSON escapes every character. */
const LIMIT = 15_000;

const TEXT: Dress = {
  limit: LIMIT,
  measure: inBytes,
  title: defuse,
  line: defuse,
  command: (text) => `$ ${text}`,
  link: (text) => text,
  footer: (text) => `ref ${text}`,
};

const words = (text: string) => escapeHtml(defuse(text));

const HTML: Dress = {
  limit: LIMIT,
  measure: inBytes,
  title: (text) => `<strong>${words(text)}</strong><br>`,
  line: (text) => `${words(text)}<br>`,
  command: (text) => `<pre><code>${escapeHtml(text)}</code></pre>`,
  link: (text) => `<a href="${escapeHtml(text)}">${escapeHtml(text)}</a><br>`,
  footer: (text) => `<em>ref</em> <code>${escapeHtml(text)}</code>`,
};

export const matrixChannel: ChannelAdapter<typeof matrixSettings> = {
  kind: "matrix",
  settings: matrixSettings,
  open: (settings, { secret }) => openMatrix(settings, secret("token")),
};

/** Messages into a room of Matrix, by the client-server API. */
function openMatrix({ url, room }: MatrixSettings, token: SecretReader): Channel {
  const messages = `${url.replace(/\/+$/, "")}/_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message`;
  const form = [/^[\x21-\x7e]+$/, "an access token"] as const;
  return guardedBy("matrix", token, form, async ({ key, message, abort }, { value, place }) => {
    // The server answers a second request with the same transaction id without a second message.
    const transaction = createHash("sha256").update(key).digest("hex").slice(0, 32);
    const body = JSON.stringify({
      // Clients show a notice without a notification.
      msgtype: message.severity === "info" ? "m.notice" : "m.text",
      body: compose(message, key, TEXT),
      format: "org.matrix.custom.html",
      formatted_body: compose(message, key, HTML),
      "m.mentions": {},
    });
    const headers = { authorization: `Bearer ${value}` };
    const address = new URL(`${messages}/${transaction}`);
    return await deliver(key, { method: "PUT", url: address, headers, body }, matrix(value, place), abort);
  });
}

function matrix(token: string, place: string): HttpService {
  return {
    name: "Matrix",
    secrets: [token],
    advice: {
      401: `check the access token in ${place}`,
      403: "the account may not write there; invite it to the room and let it join",
      404: "check the url and the room",
      other: "Matrix refuses it; check the url and the room",
    },
    isGood: (reply) => typeof jsonOf(reply).event_id === "string",
    reason: (reply) => jsonOf(reply).error,
    after: (reply) => {
      const { retry_after_ms } = jsonOf(reply);
      return typeof retry_after_ms === "number" ? afterSeconds(retry_after_ms / 1000) : undefined;
    },
  };
}
