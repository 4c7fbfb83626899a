import * as z from "zod";
import { channelObject } from "../kit/setting-forms.ts";

export const consoleSettings = channelObject("console", {
  stream: z
    .enum(["stdout", "stderr"], { error: "stdout or stderr" })
    .meta({ description: "the daemon's output to which it writes" })
    .default("stdout"),
});
