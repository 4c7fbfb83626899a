import * as z from "zod";

/** Every message says what would be right: it is shown after "expected". */
const ADDRESS = "an address such as https://board.example.org/tasks";
const NO_PASSWORD = "no user and no password in the address, but tokenEnv or tokenFile";
const VARIABLE = "the name of an environment variable such as TASKS_TOKEN";
const TOKEN_FILE = "the path of a file that holds the token";
const TIME_LIMIT = "milliseconds, at most 600000";
const ONE_TOKEN = "either tokenEnv or tokenFile, not both";

/** How the config names a server with tasks. The token itself never stands in the config. */
export const httpSettings = z
  .strictObject(
    {
      url: z
        .url({ protocol: /^https?$/, error: ADDRESS })
        // A path of its own, so that the sentence does not show the password with the address.
        .refine((url) => !hasUser(url), { path: ["password"], message: NO_PASSWORD })
        .meta({ description: "the list of tasks" }),
      tokenEnv: z
        .string({ error: VARIABLE })
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, VARIABLE)
        .meta({ description: "the environment variable that holds the token" })
        .optional(),
      tokenFile: z
        .string({ error: TOKEN_FILE })
        .min(1, TOKEN_FILE)
        .meta({ description: "the file that holds the token" })
        .optional(),
      timeoutMs: z
        .int({ error: TIME_LIMIT })
        .positive(TIME_LIMIT)
        .max(600_000, TIME_LIMIT)
        .meta({ description: "how long the whole list may take, all pages together" })
        .default(30_000),
    },
    { error: "a mapping of keys to values" },
  )
  .superRefine(({ tokenEnv, tokenFile }, context) => {
    if (tokenEnv === undefined || tokenFile === undefined) return;
    context.addIssue({ code: "custom", path: ["tokenFile"], message: ONE_TOKEN });
  })
  .meta({ description: "a server that lists tasks" });

function hasUser(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
}
