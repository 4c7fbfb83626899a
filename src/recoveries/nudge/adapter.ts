import * as z from "zod";
import type { RecoveryAdapter } from "../kit/adapter.ts";
import { word } from "../kit/way.ts";
import { nudge } from "./nudge.ts";

const TEXT = "one line of at most 500 characters to type";

const settings = z.object({
  text: word(TEXT)
    .max(500, TEXT)
    .regex(/^\P{Cc}+$/u, TEXT)
    .meta({ description: "the line that a nudge types" })
    .optional(),
});

export const nudgeStep: RecoveryAdapter<"nudge", typeof settings> = {
  kind: "nudge",
  settings,
  read: ({ text }) => (text === undefined ? { path: "text", message: TEXT } : { do: "nudge", text }),
  open: ({ text }, deps) => nudge(text, deps),
};
