import * as z from "zod";
import { extraEnvironment } from "../../ports/extra-environment.ts";
import { channelObject, text } from "../kit/setting-forms.ts";

const ARGV =
  "a list such as [/usr/local/bin/tell, --urgent]: a program and its arguments, run without a shell";

export const commandSettings = channelObject("command", {
  argv: z
    .array(text(ARGV), { error: ARGV })
    .min(1, ARGV)
    .meta({ description: "the program to run for each message" }),
  ...extraEnvironment,
});

export type CommandSettings = z.output<typeof commandSettings>;
