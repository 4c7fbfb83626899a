import * as z from "zod";
import type { Message } from "../../core/delivery/message.ts";
import type { Channel } from "../../ports/channel.ts";
import { text } from "../../ports/setting-forms.ts";
import { afterSeconds } from "../../system/retry-after.ts";
import type { FoundSecret, SecretReader } from "../../system/secret.ts";
import type { ChannelAdapter } from "../kit/adapter.ts";
import { compose, type Dress } from "../kit/compose.ts";
import { guardedBy } from "../kit/guard.ts";
import { deliver, type HttpService, jsonOf } from "../kit/http.ts";
import { defuse, escapeHtml, plain } from "../kit/plain.ts";
import { encodePress } from "../kit/press.ts";
import { baseAddress, channelObject, oneSecret, secretIn } from "../kit/setting-forms.ts";
import { shorten } from "../kit/shorten.ts";
import { TelegramBot } from "./bot.ts";

const PERSON = "the id of a Telegram user, such as 123456789";
const PEOPLE = `a mapping of ids to names such as {"123456789": Alice}; each is ${PERSON}`;
const CHAT = "the id of a chat such as -1001234567890, or @channelname";

const telegramSettings = channelObject("telegram", {
  chat: z
    .union([z.int(), z.string().min(1)], { error: CHAT })
    .meta({ description: "the chat that the bot writes to; the bot must be a member" }),
  ...secretIn("token", "contains the bot's token; by default the variable TELEGRAM_BOT_TOKEN"),
  people: z
    .record(z.string().regex(/^\d{1,20}$/, PERSON), text("a name"), { error: PEOPLE })
    .meta({ description: "who may press buttons: the ids of Telegram users, with their names" })
    .optional(),
  url: baseAddress("https://api.telegram.org").default("https://api.telegram.org"),
})
  .superRefine(oneSecret("token", "optional"))
  .overwrite((settings) =>
    settings.tokenEnv === undefined && settings.tokenFile === undefined
      ? { ...settings, tokenEnv: "TELEGRAM_BOT_TOKEN" }
      : settings,
  );

type TelegramSettings = z.output<typeof telegramSettings>;

/** Longer words do not fit onto a phone. */
const LONGEST_BUTTON = 60;

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

/** Messages of a bot into a chat. If people are named, messages have buttons, and the end of an incident replaces its alert. */
function openTelegram({ chat, url, people, ...secret }: TelegramSettings, token: SecretReader): Channel {
  const form = [/^[\w:-]+$/, "a bot token (123456:ABC…)"] as const;
  const bot = new TelegramBot(url, token);
  const channel = guardedBy("telegram", token, form, async (dispatch, found) => {
    const { key, message, abort, earlier = [] } = dispatch;
    const shown = {
      chat_id: chat,
      text: compose(message, key, DRESS),
      parse_mode: "HTML",
      link_preview_options: { is_disabled: true },
    };
    if (earlier.length > 0) {
      const edits = earlier.map((id) =>
        bot.call("editMessageText", { ...shown, message_id: Number(id) }, abort),
      );
      const done = await Promise.all(edits);
      // Somebody deleted them, or they are too old: then the end is a message of its own.
      if (done.some((each) => "result" in each)) return { outcome: "sent", note: "changed the alert" };
    }
    const body = JSON.stringify({
      ...shown,
      disable_notification: message.severity === "info",
      ...(people === undefined ? {} : keyboard(message)),
    });
    const address = new URL(`${url.replace(/\/+$/, "")}/bot${found.value}/sendMessage`);
    return await deliver(key, { url: address, body }, telegram(found), abort);
  });
  // One bot may write into several chats, but its presses are read once.
  const source = JSON.stringify([url, secret.tokenEnv, secret.tokenFile]);
  return people === undefined ? channel : { ...channel, chat: bot.listener(source, people) };
}

/** Answers stand below each other, because their words are long; the rest in one row. */
function keyboard({ buttons = [], data }: Message): object {
  const incident = data?.incident;
  if (typeof incident !== "string" || buttons.length === 0) return {};
  const shown = buttons.map(({ label, deed }) => ({
    isAnswer: deed.do === "answer",
    button: { text: shorten(plain(label), LONGEST_BUTTON), callback_data: encodePress(incident, deed) },
  }));
  const answers = shown.filter(({ isAnswer }) => isAnswer).map(({ button }) => [button]);
  const others = shown.filter(({ isAnswer }) => !isAnswer).map(({ button }) => button);
  return { reply_markup: { inline_keyboard: [...answers, others] } };
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
    ref: (reply) => {
      const { message_id: id } = (jsonOf(reply).result ?? {}) as { message_id?: unknown };
      return typeof id === "number" ? String(id) : undefined;
    },
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
