import * as z from "zod";
import { text } from "../../ports/setting-forms.ts";
import { channelObject, oneSecret, secretIn } from "../kit/setting-forms.ts";

const ADDRESS = "an address such as rollcall@example.org";
const PORT = "a port such as 587 (STARTTLS) or 465 (TLS from the start)";

const address = text(ADDRESS).regex(/^[^\s<>@,;"]+@[^\s<>@,;"]+$/, ADDRESS);

export const emailSettings = channelObject("email", {
  from: address.meta({ description: "the sender" }),
  to: z
    .union([address, z.array(address).min(1)], { error: `${ADDRESS}, or a list of them` })
    .meta({ description: "the recipients" }),
  host: text("a host such as smtp.example.org").meta({ description: "the mail server" }).optional(),
  port: z
    .int({ error: PORT })
    .min(1, PORT)
    .max(65_535, PORT)
    .meta({ description: "by default 587" })
    .optional(),
  user: text("the name of an account")
    .meta({ description: "the account, if the server needs a login" })
    .optional(),
  ...secretIn("password", "contains the password"),
  ...secretIn("url", "contains everything: smtps://user:password@host:465"),
})
  .superRefine(oneSecret("url", "needed", "host"))
  .superRefine(oneSecret("password", "optional"))
  .superRefine(({ host, port, user, passwordEnv, passwordFile }, context) => {
    const password = passwordEnv ?? passwordFile;
    if ((user === undefined) !== (password === undefined)) {
      const path = [user === undefined ? "user" : "passwordEnv"];
      context.addIssue({ code: "custom", path, message: "a user together with passwordEnv or passwordFile" });
    }
    if (host === undefined && (port ?? user ?? password) !== undefined) {
      context.addIssue({ code: "custom", path: ["host"], message: "a host together with a port and a user" });
    }
  });

export type EmailSettings = z.output<typeof emailSettings>;
