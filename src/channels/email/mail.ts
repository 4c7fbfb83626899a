import { createHash } from "node:crypto";
import MailComposer from "nodemailer/lib/mail-composer";
import type { Message } from "../../core/delivery/message.ts";
import type { Dispatch } from "../../ports/channel.ts";
import { compose, type Dress, headline } from "../kit/compose.ts";
import { defuse, escapeHtml, plain } from "../kit/plain.ts";
import { shorten } from "../kit/shorten.ts";

/** Servers take megabytes; people do not. */
const LIMIT = 20_000;
const SUBJECT = 200;

const TEXT: Dress = {
  limit: LIMIT,
  line: (text) => text,
  command: (text) => `    ${text}`,
  link: (text) => text,
};

const HTML: Dress = {
  limit: LIMIT,
  title: (text) => `<p><b>${escapeHtml(text)}</b></p>`,
  line: (text) => `<div>${escapeHtml(defuse(text))}</div>`,
  command: (text) => `<pre>${escapeHtml(text)}</pre>`,
  link: (text) => `<div><a href="${escapeHtml(text)}">${escapeHtml(text)}</a></div>`,
};

const WORDS: Readonly<Record<Message["severity"], string>> = {
  info: "",
  warning: "Warning: ",
  critical: "Critical: ",
  resolved: "Resolved: ",
};

/** The mail as it goes over the wire: text, and the same as simple HTML. */
export function mail(
  { key, message, at }: Pick<Dispatch, "key" | "message" | "at">,
  { from, to }: { readonly from: string; readonly to: readonly string[] },
): Promise<Buffer> {
  const text = compose(message, key, TEXT);
  return new MailComposer({
    from,
    to: [...to],
    subject: shorten(`${WORDS[message.severity]}${plain(message.title) || "(no title)"}`, SUBJECT),
    messageId: messageId(key, from),
    date: new Date(at),
    text: `${headline(message)}\n\n${text}\n`,
    html: compose(message, key, HTML),
    // No absence is answered to us.
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}

/** The same at every attempt, so that a mailbox that gets it twice can tell; the key itself where it may stand there. */
function messageId(key: string, from: string): string {
  const isAtom = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(key) && key.length <= 100;
  const name = isAtom ? key : createHash("sha256").update(key).digest("hex").slice(0, 40);
  return `<${name}@${from.slice(from.lastIndexOf("@") + 1)}>`;
}
