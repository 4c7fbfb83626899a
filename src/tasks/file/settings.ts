import * as z from "zod";

/** Every message says what would be right: it is shown after "expected". */
const PATH_FORM = "a path such as ~/tasks.json or tasks.jsonl (in Rollcall's home)";

/** How the config names a file with tasks. */
export const fileSettings = z
  .strictObject(
    {
      path: z
        .string({ error: PATH_FORM })
        .min(1, PATH_FORM)
        .meta({ description: "the file; JSON Lines if it ends in .jsonl or .ndjson, else JSON" })
        .default("tasks.json"),
    },
    { error: "a mapping of keys to values" },
  )
  .meta({ description: "a file with tasks" });
