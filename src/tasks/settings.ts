import * as z from "zod";
import { fileSettings } from "./file/settings.ts";
import { forgeTaskSettings } from "./forge/settings.ts";
import { httpSettings } from "./http/settings.ts";

/** Where tasks come from. Nothing in it is required: without it, it is the file tasks.json in the home. */
export const taskSourceSettings = z
  .strictObject(
    {
      file: fileSettings.meta({ description: "a file with tasks" }).optional(),
      http: httpSettings.meta({ description: "a server that lists tasks" }).optional(),
      forge: forgeTaskSettings.meta({ description: "issues of the forge by their label" }).optional(),
    },
    { error: "a mapping with file, http or forge" },
  )
  .superRefine((sources, context) => {
    const [, second] = Object.entries(sources).filter(([, source]) => source !== undefined);
    if (second === undefined) return;
    context.addIssue({ code: "custom", path: [second[0]], message: "one of file, http and forge" });
  });

export type TaskSourceSettings = z.output<typeof taskSourceSettings>;
