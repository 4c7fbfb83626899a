const NUMBERS = String.raw`\d{0,4}(?:[;:]\d{0,4}){0,20}`;
/** Colours, moves of the cursor, and writing over what stands there: they change the picture, and nothing else. */
const PICTURE = String.raw`\x1b\[${NUMBERS}[A-HJ-MPSTXZ@\x60a-bd-fm]`;
/** A string, such as a title or the clipboard, up to its end. */
const STRING = String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^]*?(?:\x07|\x1b\\|\x9c|$)`;
const SEQUENCE = String.raw`(?:\x1b\[|\x9b)[\x20-\x3f]*[\x40-\x7e]?|\x1b[\x20-\x2f]*[\x30-\x7e]?`;
const CONTROL = String.raw`[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]`;
const ALL = new RegExp(`(${PICTURE})|${STRING}|${SEQUENCE}|${CONTROL}`, "g");

/**
 * Raw output for a person's own terminal. An agent's output could write the clipboard (OSC 52), set the title and have it
 * typed back, ask the terminal for an answer that a shell then runs, or switch the mouse on; none of that passes. The
 * colours are set back at the end.
 */
export function pictureOnly(text: string): string {
  return `${text.replace(ALL, (_, picture: string | undefined) => picture ?? "")}\x1b[0m`;
}
