import type { Channel } from "../../ports/channel.ts";
import { afterSeconds } from "../../system/retry-after.ts";
import type { FoundSecret, SecretReader } from "../../system/secret.ts";
import type { ChannelAdapter } from "../kit/adapter.ts";
import { compose, type Dress } from "../kit/compose.ts";
import { guardedBy } from "../kit/guard.ts";
import { deliver, type HttpService, jsonOf, WEBHOOK_FORM } from "../kit/http.ts";
import { defuse } from "../kit/plain.ts";
import { channelObject, oneSecret, secretIn } from "../kit/setting-forms.ts";

const discordSettings = channelObject("discord", {
  ...secretIn("url", "contains the webhook's address"),
}).superRefine(oneSecret("url", "needed"));

/** No previews of links. */
const SUPPRESS_EMBEDS = 1 << 2;

/** Every character that can mean something, also the dot of a numbered list; a backslash takes the meaning away. */
const words = (text: string) =>
  defuse(text)
    .replaceAll(/[\\*_~`|>#[\]()<@:+-]/g, "\\$&")
    .replace(/^(\s*\d+)\./, "$1\\.");

const DRESS: Dress = {
  limit: 2000,
  title: (text) => `**${words(text)}**`,
  line: words,
  // Nothing counts within a fence, and nothing but backticks ends one: what holds them stands outside.
  command: (text) => (text.includes("`") ? words(text) : `\`\`\`\n${text}\n\`\`\``),
  link: (text) => `<${text}>`,
  footer: (text) => `-# ref ${words(text)}`,
};

export const discordChannel: ChannelAdapter<typeof discordSettings> = {
  kind: "discord",
  settings: discordSettings,
  open: (_, { secret }) => openDiscord(secret("url")),
};

/** A webhook of Discord; its address is the secret. */
function openDiscord(address: SecretReader): Channel {
  return guardedBy("discord", address, WEBHOOK_FORM, async ({ key, message, abort }, found) => {
    const url = new URL(found.value);
    // Without this the service answers before it has stored the message, and is silent if it cannot.
    url.searchParams.set("wait", "true");
    const body = JSON.stringify({
      content: compose(message, key, DRESS),
      allowed_mentions: { parse: [] },
      flags: SUPPRESS_EMBEDS,
    });
    return await deliver(key, { url, body }, discord(found), abort);
  });
}

function discord({ value, place }: FoundSecret): HttpService {
  const check = `check the webhook's address in ${place}`;
  return {
    name: "Discord",
    secrets: [value],
    advice: { 404: `${check}: the webhook does not exist, or no longer exists`, other: check },
    isGood: (reply) => reply.status === 204 || jsonOf(reply).id !== undefined,
    reason: (reply) => jsonOf(reply).message,
    after: (reply) => afterSeconds(jsonOf(reply).retry_after),
  };
}
