import * as z from "zod";
import { commandSettings } from "./command/settings.ts";
import { consoleSettings } from "./console/settings.ts";
import { discordSettings } from "./discord/settings.ts";
import { emailSettings } from "./email/settings.ts";
import { ntfySettings } from "./ntfy/settings.ts";
import { slackSettings } from "./slack/settings.ts";
import { telegramSettings } from "./telegram/settings.ts";
import { webhookSettings } from "./webhook/settings.ts";

const KINDS = "a kind: telegram, slack, discord, ntfy, webhook, email, console or command";
const NAME = "a name of up to 64 letters, digits, - and _";

/** One channel. Secrets stand in variables or files, never here. */
export const channelSettings = z.discriminatedUnion(
  "kind",
  [
    telegramSettings,
    slackSettings,
    discordSettings,
    ntfySettings,
    webhookSettings,
    emailSettings,
    consoleSettings,
    commandSettings,
  ],
  { error: KINDS },
);

export type ChannelSettings = z.output<typeof channelSettings>;

/** The channels of a config by the names that its owner gives them. */
export const channelsSettings = z.record(z.string().regex(/^[-\w]{1,64}$/, NAME), channelSettings, {
  error: "a mapping of names to channels",
});
