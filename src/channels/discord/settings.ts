import { channelObject, ENV_FORM, FILE_FORM, oneSecret, text } from "../kit/setting-forms.ts";

export const discordSettings = channelObject("discord", {
  urlEnv: text(ENV_FORM).meta({ description: "contains the webhook's address" }).optional(),
  urlFile: text(FILE_FORM).meta({ description: "contains the webhook's address" }).optional(),
}).superRefine(oneSecret("url", "needed"));
