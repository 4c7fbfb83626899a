import { channelObject, ENV_FORM, FILE_FORM, oneSecret, text } from "../kit/setting-forms.ts";

export const slackSettings = channelObject("slack", {
  urlEnv: text(ENV_FORM).meta({ description: "holds the address of the incoming webhook" }).optional(),
  urlFile: text(FILE_FORM).meta({ description: "holds the address of the incoming webhook" }).optional(),
}).superRefine(oneSecret("url", "needed"));
