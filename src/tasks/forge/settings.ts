import * as z from "zod";

/** Every message says what would be right: it is shown after "expected". */
const LABEL = "a label of the repository, such as bounty";

/** How the config names issues as tasks: those of its forge that are open and have a label. */
export const forgeTaskSettings = z
  .strictObject(
    {
      label: z
        .string({ error: LABEL })
        .regex(/^[^\s,]([^,\n]*[^\s,])?$/, LABEL)
        .meta({ description: "the open issues with this label are tasks" }),
    },
    { error: "a mapping of keys to values" },
  )
  .meta({ description: "issues of the forge by their label" });
