import * as z from "zod";

/** Every message says what would be right: it is shown after "expected". */
const NAME = "the name of an environment variable such as GITEA_TOKEN";
const ENV = "a mapping of names of environment variables to texts; a number needs quotes";
const PASS = "a list of names of environment variables of the daemon, such as [GITEA_TOKEN]";
const FORM = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The keys with which a command of the config gets more of an environment than every command does. */
export const extraEnvironment = {
  env: z
    .record(z.string().regex(FORM, NAME), z.string({ error: ENV }).regex(/^[^\0]*$/, "text without a NUL"), {
      error: ENV,
    })
    .meta({ description: "variables that the command gets" })
    .optional(),
  passEnv: z
    .array(z.string({ error: NAME }).regex(FORM, NAME), { error: PASS })
    .meta({ description: "variables of the daemon that the command gets too; others do not reach it" })
    .optional(),
};
