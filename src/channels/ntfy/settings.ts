import type * as z from "zod";
import { baseAddress, channelObject, ENV_FORM, FILE_FORM, oneSecret, text } from "../kit/setting-forms.ts";

const TOPIC = "a topic of up to 64 letters, digits, - and _";

export const ntfySettings = channelObject("ntfy", {
  topic: text(TOPIC)
    .regex(/^[-\w]{1,64}$/, TOPIC)
    .meta({ description: "the topic; anyone who knows it can read it, unless the server needs a token" }),
  tokenEnv: text(ENV_FORM).meta({ description: "contains an access token" }).optional(),
  tokenFile: text(FILE_FORM).meta({ description: "contains an access token" }).optional(),
  url: baseAddress("https://ntfy.sh").default("https://ntfy.sh"),
}).superRefine(oneSecret("token", "optional"));

export type NtfySettings = z.output<typeof ntfySettings>;
