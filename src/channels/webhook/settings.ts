import { channelObject, ENV_FORM, FILE_FORM, oneSecret, openAddress, text } from "../kit/setting-forms.ts";

export const webhookSettings = channelObject("webhook", {
  url: openAddress("https://example.org/rollcall")
    .meta({ description: "where it is posted, if the address itself is no secret" })
    .optional(),
  urlEnv: text(ENV_FORM).meta({ description: "holds the address" }).optional(),
  urlFile: text(FILE_FORM).meta({ description: "holds the address" }).optional(),
  secretEnv: text(ENV_FORM).meta({ description: "holds the secret that signs" }).optional(),
  secretFile: text(FILE_FORM).meta({ description: "holds the secret that signs" }).optional(),
})
  .superRefine(oneSecret("url", "needed", "url"))
  .superRefine(oneSecret("secret", "needed"));
