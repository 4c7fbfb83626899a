import * as z from "zod";
import { fileSettings } from "./file/settings.ts";
import { httpSettings } from "./http/settings.ts";

/** Where tasks come from. Nothing in it is required: without it, it is the file tasks.json in the home. */
export const taskSourceSettings = z
  .strictObject(
    {
      file: fileSettings.meta({ description: "a file with tasks" }).optional(),
      http: httpSettings.meta({ description: "a server that lists tasks" }).optional(),
    },
    { error: "a mapping with file or http" },
  )
  .superRefine(({ file, http }, context) => {
    if (file === undefined || http === undefined) return;
    context.addIssue({ code: "custom", path: ["http"], message: "either file or http, not both" });
  });

export type TaskSourceSettings = z.output<typeof taskSourceSettings>;
