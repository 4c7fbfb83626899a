import * as z from "zod";
import type { Channel } from "../../ports/channel.ts";
import { afterSeconds } from "../../system/retry-after.ts";
import type { FoundSecret, SecretReader } from "../../system/secret.ts";
import type { ChannelAdapter } from "../kit/adapter.ts";
import { compose, type Dress } from "../kit/compose.ts";
import { guardedBy } from "../kit/guard.ts";
import { deliver, type HttpService, jsonOf } from "../kit/http.ts";
import { defuse, escapeHtml } from "../kit/plain.ts";
import { baseAddress, channelObject, oneSecret, secretIn } from "../kit/setting-forms.ts";

const CHAT = "the id of a chat such as -1001234567890, or @channelname";

const telegramSettings = channelObject("telegram", {
  chat: z
    .union([z.int(), z.string().min(1)], { error: CHAT })
    .meta({ description: "the chat that the bot writes to; the bot must be a member" }),
  ...secretIn("token", "contains the bot's token; by default the variable TELEGRAM_BOT_TOKEN"),
  url: baseAddress("https://api.telegram.org").default("https://api.telegram.org"),
})
  .superRefine(oneSecret("token", "optional"))
  .overwrite((settings) =>
    settings.tokenEnv === undefined && settings.tokenFile === undefined
      ? { ...settings, tokenEnv: "TELEGRAM_BOT_TOKEN" }
      : settings,
  );

type TelegramSettings = z.output<typeof telegramSettings>;

/** A slash before a word alone is a command for whichever bots are in the chat; a path is not. */
const COMMAND = /(?<![\w/<>])\/(?=\w{1,64}(?![\w/<>]))/g;
const words = (text: string) => escapeHtml(defuse(text).replaceAll(COMMAND, "/\u2060"));

const DRESS: Dress = {
  // The service counts what is left when the markup is read; we count before, which is never less.
  limit: 4096,
  title: (text) => `<b>${words(text)}</b>`,
  line: words,
  command: (text) => `<pre>${escapeHtml(text)}</pre>`,
  link: escapeHtml,
  footer: (text) => `<i>ref</i> <code>${escapeHtml(text)}</code>`,
};

export const telegramChannel: ChannelAdapter<typeof telegramSettings> = {
  kind: "telegram",
  settings: telegramSettings,
  open: (settings, { secret }) => openTelegram(settings, secret("token")),
};

/** Messages of a bot into a chat. */
function openTelegram({ chat, url }: TelegramSettings, token: SecretReader): Channel {
  const form = [/^[\w:-]+$/, "a bot token (123456:ABC…)"] as const;
  return guardedBy("telegram", token, form, async ({ key, message, abort }, found) => {
    const body = JSON.stringify({
      chat_id: chat,
      text: compose(message, key, DRESS),
      parse_mode: "HTML",
      link_preview_options: { is_disabled: true },
      disable_notification: message.severity === "info",
    });
    const address = new URL(`${url.replace(/\/+$/, "")}/bot${found.value}/sendMessage`);
    return await deliver(key, { url: address, body }, telegram(found), abort);
  });
}

function telegram({ value, place }: FoundSecret): HttpService {
  return {
    name: "Telegram",
    secrets: [value],
    advice: {
      400: "check the chat: the bot must be a member of it",
      401: `check the token in ${place}`,
      403: "the bot was blocked or removed; add it to the chat again",
      404: `check the token in ${place}, and the url`,
      other: "Telegram refused it; check the settings of this channel",
    },
    isGood: (reply) => jsonOf(reply).ok === true,
    reason: (reply) => {
      const { description } = jsonOf(reply);
      const moved = parametersOf(jsonOf(reply)).migrate_to_chat_id;
      return typeof moved === "number" ? `${description}; the chat is now ${moved}` : description;
    },
    after: (reply) => afterSeconds(parametersOf(jsonOf(reply)).retry_after),
  };
}

function parametersOf({ parameters }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return typeof parameters === "object" && parameters !== null ? { ...parameters } : {};
}
