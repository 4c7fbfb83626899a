import type { Message } from "../../core/delivery/message.ts";
import type { Channel } from "../../ports/channel.ts";
import type { FoundSecret, SecretReader } from "../../system/secret.ts";
import type { ChannelAdapter } from "../kit/adapter.ts";
import { compose, type Dress, headline, LEFT_OUT } from "../kit/compose.ts";
import { guardedBy } from "../kit/guard.ts";
import { deliver, type HttpService, WEBHOOK_FORM } from "../kit/http.ts";
import { defuse, escapeHtml, plain } from "../kit/plain.ts";
import { channelObject, oneSecret, secretIn } from "../kit/setting-forms.ts";
import { shorten } from "../kit/shorten.ts";

const slackSettings = channelObject("slack", {
  ...secretIn("url", "contains the incoming webhook's address"),
}).superRefine(oneSecret("url", "needed"));

/** Limits of the service, in characters. */
const HEADER = 150;
const SECTION = 3000;
const BLOCK_ID = 255;
/** With this many commands of any length a message stays below 40,000 characters. */
const MOST_COMMANDS = 10;
const FENCE = "```";

const words = (text: string) => escapeHtml(defuse(text));

/** What an agent may have said stands in a block of plain text, where no markup counts. */
const DRESS: Dress = { limit: SECTION, line: words, command: escapeHtml, link: escapeHtml };

export const slackChannel: ChannelAdapter<typeof slackSettings> = {
  kind: "slack",
  settings: slackSettings,
  open: (_, { secret }) => openSlack(secret("url")),
};

/** An incoming webhook of Slack; its address is the secret. */
function openSlack(address: SecretReader): Channel {
  return guardedBy("slack", address, WEBHOOK_FORM, async ({ key, message, abort }, found) => {
    const url = new URL(found.value);
    const body = JSON.stringify(payload(message, key));
    return await deliver(key, { url, body }, slack(found), abort);
  });
}

function payload(message: Message, key: string): object {
  const title = headline(message);
  const text = compose({ ...message, commands: [] }, key, DRESS);
  return {
    // Shown in notifications. Nothing in it is parsed.
    text: shorten(title, HEADER, words),
    mrkdwn: false,
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      {
        type: "header",
        // The only place that the service keeps and does not show.
        block_id: shorten(plain(key) || "rollcall", BLOCK_ID),
        text: { type: "plain_text", text: shorten(title, HEADER, words), emoji: false },
      },
      ...(text === "" ? [] : [section(text)]),
      ...commandBlocks(message.commands ?? []),
    ],
  };
}

function section(text: string): object {
  return { type: "section", text: { type: "plain_text", text, emoji: false } };
}

/** A block each, to be copied. Nothing but backticks ends a fence: what holds them stands as plain text. */
function commandBlocks(commands: readonly string[]): object[] {
  const blocks: object[] = [];
  for (const command of commands) {
    const text = escapeHtml(plain(command));
    if (text === "") continue;
    if (blocks.length === MOST_COMMANDS || text.length > SECTION - 2 * FENCE.length) {
      return [...blocks, section(LEFT_OUT)];
    }
    const fenced = { type: "mrkdwn", text: `${FENCE}${text}${FENCE}`, verbatim: true };
    blocks.push(text.includes("`") ? section(text) : { type: "section", text: fenced });
  }
  return blocks;
}

function slack({ value, place }: FoundSecret): HttpService {
  const check = `check the webhook's address in ${place}`;
  return {
    name: "Slack",
    secrets: [value],
    advice: {
      403: `${check}: the webhook may be revoked, or apps may not post there`,
      404: `${check}: there is no such webhook or channel`,
      410: "the channel is archived; create a webhook for another channel",
      other: check,
    },
    isGood: ({ body }) => body.trim() === "ok",
    reason: ({ body }) => body,
  };
}
