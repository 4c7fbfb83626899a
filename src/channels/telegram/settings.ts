import * as z from "zod";
import { baseAddress, channelObject, ENV_FORM, FILE_FORM, oneSecret, text } from "../kit/setting-forms.ts";

const CHAT = "the id of a chat such as -1001234567890, or @channelname";

export const telegramSettings = channelObject("telegram", {
  chat: z
    .union([z.int(), z.string().min(1)], { error: CHAT })
    .meta({ description: "the chat that the bot writes to; the bot must be a member" }),
  tokenEnv: text(ENV_FORM)
    .meta({ description: "contains the bot's token; by default TELEGRAM_BOT_TOKEN" })
    .optional(),
  tokenFile: text(FILE_FORM).meta({ description: "contains the bot's token" }).optional(),
  url: baseAddress("https://api.telegram.org").default("https://api.telegram.org"),
})
  .superRefine(oneSecret("token", "optional"))
  .overwrite((settings) =>
    settings.tokenEnv === undefined && settings.tokenFile === undefined
      ? { ...settings, tokenEnv: "TELEGRAM_BOT_TOKEN" }
      : settings,
  );

export type TelegramSettings = z.output<typeof telegramSettings>;
