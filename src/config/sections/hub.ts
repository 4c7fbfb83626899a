import * as z from "zod";
import { ALLOWED, COMMANDS } from "../../core/host/command.ts";

/** Every message says what would be right: it is shown after "expected". */
const object = "a mapping of keys to values";
const URL_FORM = "an address such as https://hub.example.org:7766";
const PATH = "a path";

/** On a host: the hub that it reports to. On a hub: the address under which hosts reach it. */
export const hubSettings = z.strictObject(
  {
    url: z
      .string({ error: URL_FORM })
      .regex(/^https?:\/\/[^/?#]+\/?$/, URL_FORM)
      .meta({ description: "the hub's address; on the hub itself, where hosts reach it" })
      .optional(),
    tokenFile: z
      .string({ error: PATH })
      .min(1, PATH)
      .meta({ description: "the file with this host's token; `rollcall join` writes one into the home" })
      .optional(),
    allow: z
      .array(z.enum(COMMANDS, { error: `one of ${COMMANDS.join(", ")}` }), { error: "a list of names" })
      .meta({ description: "what the hub may ask of this host" })
      .default([...ALLOWED]),
  },
  { error: object },
);

/** A certificate of our own. Without it only this machine, or a proxy in front, is spoken to. */
export const tlsSettings = z.strictObject(
  {
    cert: z
      .string({ error: PATH })
      .min(1, PATH)
      .meta({ description: "the file with the certificate, as PEM" }),
    key: z.string({ error: PATH }).min(1, PATH).meta({ description: "the file with its key, as PEM" }),
  },
  { error: object },
);
