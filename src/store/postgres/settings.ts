import * as z from "zod";
import { MAPPING, text } from "../../ports/setting-forms.ts";

const FORM = "an address such as postgres://rollcall@db.example.org/rollcall";
const ONE = "one of url, urlEnv or urlFile";

/** Where the server is. The address holds the password, so it may stand in a variable or a file instead. */
export const postgresSettings = z
  .strictObject(
    {
      url: text(FORM)
        .regex(/^postgres(?:ql)?:\/\/\S+$/, FORM)
        .meta({
          description: "the address of a PostgreSQL database",
          examples: ["postgres://rollcall@db.example.org/rollcall"],
        })
        .optional(),
      urlEnv: text("the name of an environment variable")
        .meta({ description: "the variable that holds the address" })
        .optional(),
      urlFile: text("the path of a file").meta({ description: "the file that holds the address" }).optional(),
    },
    // A key that is not known may be a password in the wrong place, so it is not repeated.
    { error: ({ code }) => (code === "unrecognized_keys" ? "only the keys url, urlEnv, urlFile" : MAPPING) },
  )
  .superRefine((settings, context) => {
    if (Object.keys(settings).length !== 1)
      context.addIssue({ code: "custom", path: Object.keys(settings).slice(-1), message: ONE });
  });
