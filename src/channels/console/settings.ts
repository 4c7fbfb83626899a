import * as z from "zod";
import { channelObject } from "../kit/setting-forms.ts";

export const consoleSettings = channelObject("console", {
  stream: z.enum(["stdout", "stderr"], { error: "stdout or stderr" }).default("stdout"),
});
