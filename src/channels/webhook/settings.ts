import { channelObject, ENV_FORM, FILE_FORM, oneSecret, openAddress, text } from "../kit/setting-forms.ts";

export const webhookSettings = channelObject("webhook", {
  url: openAddress("https://example.org/rollcall")
    .meta({ description: "the address to post to, if it is not a secret" })
    .optional(),
  urlEnv: text(ENV_FORM).meta({ description: "contains the address" }).optional(),
  urlFile: text(FILE_FORM).meta({ description: "contains the address" }).optional(),
  secretEnv: text(ENV_FORM).meta({ description: "contains the secret that signs messages" }).optional(),
  secretFile: text(FILE_FORM).meta({ description: "contains the secret that signs messages" }).optional(),
})
  .superRefine(oneSecret("url", "needed", "url"))
  .superRefine(oneSecret("secret", "needed"));
