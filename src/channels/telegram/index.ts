import type { Channel } from "../../ports/channel.ts";
import type { SecretReader } from "../../system/secret.ts";
import type { ChannelAdapter } from "../kit/adapter.ts";
import { compose, type Dress } from "../kit/compose.ts";
import { guarded } from "../kit/guard.ts";
import { escapeHtml } from "../kit/html.ts";
import { deliver, jsonOf, type Service } from "../kit/http.ts";
import { defuse } from "../kit/plain.ts";
import { afterSeconds } from "../kit/retry-after.ts";
import { type TelegramSettings, telegramSettings } from "./settings.ts";

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
  return guarded("telegram", async ({ key, message, abort }) => {
    const found = await token();
    if ("problem" in found) return { outcome: "retry", problem: found.problem };
    if (!/^[\w:-]+$/.test(found.value)) {
      return { outcome: "retry", problem: `${found.place} does not contain a bot token (123456:ABC…)` };
    }
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

function telegram({ value, place }: { readonly value: string; readonly place: string }): Service {
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
