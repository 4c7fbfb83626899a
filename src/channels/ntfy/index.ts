import { createHash } from "node:crypto";
import type * as z from "zod";
import type { Message } from "../../core/delivery/message.ts";
import type { Channel } from "../../ports/channel.ts";
import { text } from "../../ports/setting-forms.ts";
import { fitsHeader, type SecretReader } from "../../system/secret.ts";
import type { ChannelAdapter } from "../kit/adapter.ts";
import { compose, type Dress } from "../kit/compose.ts";
import { guarded } from "../kit/guard.ts";
import { deliver, type HttpService, jsonOf } from "../kit/http.ts";
import { defuse, plain } from "../kit/plain.ts";
import { baseAddress, channelObject, oneSecret, secretIn } from "../kit/setting-forms.ts";
import { inBytes, shorten } from "../kit/shorten.ts";

const TOPIC = "a topic of up to 64 letters, digits, - and _";

const ntfySettings = channelObject("ntfy", {
  topic: text(TOPIC)
    .regex(/^[-\w]{1,64}$/, TOPIC)
    .meta({ description: "the topic; anyone who knows it can read it, unless the server needs a token" }),
  ...secretIn("token", "contains an access token"),
  url: baseAddress("https://ntfy.sh").default("https://ntfy.sh"),
}).superRefine(oneSecret("token", "optional"));

type NtfySettings = z.output<typeof ntfySettings>;

/** The service refuses titles beyond 1 kB; far less is shown. */
const TITLE = 250;

const DRESS: Dress = {
  // What is longer becomes a file that somebody would have to open.
  limit: 4096,
  measure: inBytes,
  line: defuse,
  command: (text) => `$ ${text}`,
  link: (text) => text,
};

const URGENCY: Readonly<Record<Message["severity"], { readonly priority: number; readonly tag: string }>> = {
  info: { priority: 2, tag: "information_source" },
  resolved: { priority: 3, tag: "white_check_mark" },
  warning: { priority: 4, tag: "warning" },
  critical: { priority: 5, tag: "rotating_light" },
};

export const ntfyChannel: ChannelAdapter<typeof ntfySettings> = {
  kind: "ntfy",
  settings: ntfySettings,
  open: (settings, { secretIfNamed }) => openNtfy(settings, secretIfNamed("token")),
};

/** A topic of ntfy, published as JSON; it shows text as text, unless it is told that it is Markdown. */
function openNtfy({ topic, url }: NtfySettings, token: SecretReader | undefined): Channel {
  return guarded("ntfy", async ({ key, message, abort }) => {
    const found = await token?.();
    if (found !== undefined && "problem" in found) return { outcome: "retry", problem: found.problem };
    if (found !== undefined && !fitsHeader(found.value)) {
      return { outcome: "retry", problem: `${found.place} does not contain a token (tk_…)` };
    }
    const { priority, tag } = URGENCY[message.severity];
    const [click] = message.links ?? [];
    const body = JSON.stringify({
      topic,
      title: shorten(plain(message.title) || "(no title)", TITLE, defuse, inBytes),
      message: compose(message, key, DRESS) || "(no details)",
      priority,
      tags: [tag],
      // An app that gets the same twice shows it once, and what is new of an incident takes the place of what was.
      sequence_id: createHash("sha256").update(sequenceOf(message, key)).digest("hex").slice(0, 32),
      ...(click !== undefined && isSafe(click) ? { click } : {}),
    });
    const headers = found === undefined ? {} : { authorization: `Bearer ${found.value}` };
    const service = ntfy(found?.value, found?.place ?? "tokenEnv or tokenFile");
    return await deliver(key, { url: new URL(url), headers, body }, service, abort);
  });
}

/** All that is told of one incident is one notification; a message about several has no other. */
function sequenceOf({ data }: Message, key: string): string {
  return typeof data?.incident === "string" ? data.incident : key;
}

/** Whatever a tap opens leads to a page, and not into some app. */
function isSafe(link: string): boolean {
  return /^https?:\/\/[\x21-\x7e]{1,500}$/.test(link);
}

function ntfy(token: string | undefined, place: string): HttpService {
  return {
    name: "ntfy",
    secrets: token === undefined ? [] : [token],
    advice: {
      401: `check the token in ${place}`,
      403: `the token in ${place} may not write to this topic`,
      404: "check the url: it must be the server's address without the topic",
      other: "ntfy refused it; check the topic and the url",
    },
    isGood: (reply) => jsonOf(reply).id !== undefined,
    reason: (reply) => jsonOf(reply).error,
  };
}
