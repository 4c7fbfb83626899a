import * as z from "zod";

/** Every message says what would be right: it is shown after "expected". */
const ONE = "exactly one of pid, pidFile, match and journal";
const PATH = "the path of a file";
const JOURNAL = "true, or the path of a journal";
const MATCH = "a regular expression that its command line matches";

const path = z.string({ error: PATH }).min(1, PATH);

export const processSettings = z
  .strictObject(
    {
      pid: z
        .int({ error: "a process id" })
        .positive("a process id")
        .meta({ description: "its process id" })
        .optional(),
      pidFile: path.meta({ description: "the file into which the agent writes its process id" }).optional(),
      match: z.string({ error: MATCH }).min(1, MATCH).meta({ description: MATCH }).optional(),
      journal: z
        .union([z.literal(true), path], { error: JOURNAL })
        .meta({
          description:
            "the journal that `rollcall run` keeps of a cycle: true for the one in the home, or a path",
        })
        .optional(),
    },
    { error: "a mapping of keys to values" },
  )
  .superRefine((value, context) => {
    const { match } = value;
    if (Object.values(value).filter((set) => set !== undefined).length !== 1) {
      context.addIssue({ code: "custom", message: ONE });
    }
    if (match === undefined) return;
    try {
      new RegExp(match);
    } catch (error) {
      context.addIssue({
        code: "custom",
        path: ["match"],
        message: `${MATCH} (${(error as Error).message})`,
      });
    }
  });

export type ProcessSettings = z.output<typeof processSettings>;
