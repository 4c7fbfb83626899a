import * as z from "zod";
import { ALLOWED, COMMANDS } from "../../core/host/command.ts";
import { channels, duration, mapping, text } from "./kit.ts";

const URL_FORM = "an address such as https://hub.example.org:7766";
const path = text("a path").min(1, "a path");

/** On a host: the hub that it reports to. On a hub: the address under which hosts reach it. */
export const hubSettings = mapping({
  serve: z
    .boolean("true or false")
    .describe("this watcher is a hub, as with `rollcall up --hub`")
    .default(false),
  url: text(URL_FORM)
    .regex(/^https?:\/\/[^/?#]+\/?$/, URL_FORM)
    .meta({
      description: "the hub's address; on the hub itself, where hosts reach it",
      examples: ["https://hub.example.org:7766"],
    })
    .optional(),
  tokenFile: path
    .meta({
      description: "the file with this host's token; `rollcall join` writes one into the home",
      examples: ["~/.rollcall/hub.token"],
    })
    .optional(),
  allow: z
    .array(z.enum(COMMANDS, { error: `one of ${COMMANDS.join(", ")}` }), { error: "a list of commands" })
    .describe("what the hub may ask of this host")
    .default([...ALLOWED]),
  cutOff: mapping({
    after: duration.describe("how long the hub may be out of reach").prefault("10m"),
    tell: channels.describe("the channels of this host that get the message"),
  })
    .describe("one message by this host's own channels if it cannot reach its hub, and one when it can again")
    .optional(),
});

/** A certificate of our own. Without it only this machine, or a proxy in front, is spoken to. */
export const tlsSettings = mapping({
  cert: path.meta({
    description: "the file with the certificate, as PEM",
    examples: ["/etc/rollcall/hub.pem"],
  }),
  key: path.meta({
    description: "the file with its private key, as PEM",
    examples: ["/etc/rollcall/hub.key"],
  }),
});
