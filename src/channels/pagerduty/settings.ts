import type * as z from "zod";
import { baseAddress, channelObject, ENV_FORM, FILE_FORM, oneSecret, text } from "../kit/setting-forms.ts";

const KEY = "holds the integration key of a service (Events API v2)";

export const pagerdutySettings = channelObject("pagerduty", {
  routingKeyEnv: text(ENV_FORM).meta({ description: KEY }).optional(),
  routingKeyFile: text(FILE_FORM).meta({ description: KEY }).optional(),
  url: baseAddress("https://events.eu.pagerduty.com").default("https://events.pagerduty.com"),
}).superRefine(oneSecret("routingKey", "needed"));

export type PagerDutySettings = z.output<typeof pagerdutySettings>;
