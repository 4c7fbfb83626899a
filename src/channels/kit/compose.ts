import type { Message } from "../../core/delivery/message.ts";
import { plain } from "./plain.ts";
import { inCharacters, type Measure, shorten } from "./shorten.ts";

/** How one service writes the parts of a message. Each is given plain text of one line. */
export interface Dress {
  /** What the service takes at most. */
  readonly limit: number;
  readonly measure?: Measure;
  /** Undefined where the title stands elsewhere. */
  readonly title?: (text: string) => string;
  readonly line: (text: string) => string;
  readonly command: (text: string) => string;
  /** Given an address of the web, without quotes and angle brackets. */
  readonly link: (text: string) => string;
  /** The key of the delivery, where the far side has no other place for it. */
  readonly footer?: (text: string) => string;
}

/** A title that is longer says no more. */
const LONGEST_TITLE = 300;
const LONGEST_KEY = 64;
/** What is left for the lines in any case, as a part of the limit. */
const FOR_LINES = 1 / 3;

/** Instead of what cannot be cut. */
export const LEFT_OUT = "(some parts were too long for this message and are left out)";

/** What may be a link. Everything else is words. */
const ADDRESS = /^https?:\/\/[^\s<>"'`]+$/;

const MARKS: Readonly<Record<Message["severity"], string>> = {
  info: "ℹ️",
  warning: "⚠️",
  critical: "🔴",
  resolved: "✅",
};

/** The title with a mark that is seen in a list of many. */
export function headline({ severity, title }: Message): string {
  return `${MARKS[severity]} ${plain(title) || "(no title)"}`;
}

/**
 * A message as one text within the limit. A cut line still tells something, but a cut command does something else and a
 * cut address leads elsewhere: these are there whole, or it is said that they are not.
 */
export function compose(message: Message, key: string, dress: Dress): string {
  const { limit, measure = inCharacters } = dress;
  const head =
    dress.title && shorten(headline(message), Math.min(LONGEST_TITLE, limit / 4), dress.title, measure);
  const foot = dress.footer?.(shorten(plain(key), LONGEST_KEY));
  const room = limit - size([head, foot], measure);
  const tail = whole(message, dress, room * (1 - FOR_LINES), measure);
  const body = lines(message.lines, dress, room - size(tail, measure), measure);
  return [head, ...body, ...tail, foot].filter((part) => part !== undefined && part !== "").join("\n");
}

/** What parts take together, each with the line end before it. */
function size(parts: readonly (string | undefined)[], measure: Measure): number {
  return parts.reduce((sum, part) => sum + (part === undefined ? 0 : measure(part) + 1), 0);
}

function whole(message: Message, dress: Dress, room: number, measure: Measure): string[] {
  const parts = [
    ...(message.commands ?? []).map((text) => [plain(text), dress.command] as const),
    ...(message.links ?? []).map(
      (text) => [plain(text), ADDRESS.test(plain(text)) ? dress.link : dress.line] as const,
    ),
  ].filter(([text]) => text !== "");
  const note = dress.line(LEFT_OUT);
  const kept: string[] = [];
  let left = room - measure(note) - 1;
  for (const [text, dressed] of parts) {
    const part = text.length > left ? undefined : dressed(text);
    if (part === undefined || measure(part) + 1 > left) return [...kept, note];
    kept.push(part);
    left -= measure(part) + 1;
  }
  return kept;
}

function lines(texts: readonly string[], { line }: Dress, room: number, measure: Measure): string[] {
  const kept: string[] = [];
  let left = room;
  for (const text of texts) {
    if (left < 2) break;
    // What does not fit is cut anyway: a text of megabytes is not read to its end for that.
    const part = shorten(plain(text.slice(0, 4 * room)), left - 1, line, measure);
    if (part === "") continue;
    kept.push(part);
    left -= measure(part) + 1;
  }
  return kept;
}
