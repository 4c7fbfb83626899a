import * as z from "zod";
import { mapping, text } from "../../ports/setting-forms.ts";

/** Every message says what would be right: it is shown after "expected". */
const ONE = "exactly one of pid, pidFile, match and journal";
const PATH = "the path of a file";
const JOURNAL = "true, or the path of a journal";
const MATCH = "a regular expression that its command line matches";

const path = text(PATH);

export const processSettings = mapping({
  pid: z
    .int({ error: "a process id" })
    .positive("a process id")
    .meta({ description: "its process id" })
    .optional(),
  pidFile: path.meta({ description: "the file into which the agent writes its process id" }).optional(),
  match: text(MATCH).meta({ description: MATCH }).optional(),
  journal: z
    .union([z.literal(true), path], { error: JOURNAL })
    .meta({
      description:
        "the journal that `rollcall run` keeps of a cycle: true for the one in the home, or a path",
    })
    .optional(),
}).superRefine((value, context) => {
  const { match } = value;
  if (Object.values(value).filter((set) => set !== undefined).length !== 1) {
    context.addIssue({ code: "custom", message: ONE });
  }
  if (match === undefined) return;
  try {
    new RegExp(match);
  } catch (error) {
    const message = `${MATCH} (${(error as Error).message})`;
    context.addIssue({ code: "custom", path: ["match"], message });
  }
});

export type ProcessSettings = z.output<typeof processSettings>;
