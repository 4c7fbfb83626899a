import { channelObject, ENV_FORM, FILE_FORM, oneSecret, text } from "../kit/setting-forms.ts";

export const discordSettings = channelObject("discord", {
  urlEnv: text(ENV_FORM).meta({ description: "holds the address of the webhook" }).optional(),
  urlFile: text(FILE_FORM).meta({ description: "holds the address of the webhook" }).optional(),
}).superRefine(oneSecret("url", "needed"));
