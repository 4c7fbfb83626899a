import type { Message } from "../../core/delivery/message.ts";
import { iso } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import type { Dispatch } from "../../ports/channel.ts";
import { plain } from "./plain.ts";
import { shorten } from "./shorten.ts";

const LONGEST_LINE = 4000;
const MOST_LINES = 100;

/**
 * What programs are sent: the message as JSON, in a version that grows by new keys only. Texts are bounded and free of
 * control characters; `data` is as it was given.
 */
export function envelope({ key, at, message }: Pick<Dispatch, "key" | "at" | "message">): string {
  return JSON.stringify({ version: 1, key, at: iso(at), message: bounded(message) });
}

function bounded({ severity, title, lines, commands, links, data }: Message): Message {
  const said = { severity, title: short(title), lines: lines.slice(0, MOST_LINES).map(short) };
  return given({ ...said, commands: commands && whole(commands), links: links && whole(links), data });
}

function short(text: string): string {
  return shorten(plain(text), LONGEST_LINE);
}

/** A cut command does something else, and a cut address leads elsewhere. */
function whole(texts: readonly string[]): string[] {
  return texts
    .map(plain)
    .filter((text) => text.length <= LONGEST_LINE)
    .slice(0, MOST_LINES);
}
