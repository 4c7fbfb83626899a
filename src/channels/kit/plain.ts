/**
 * Escape sequences of terminals: with parameters (colours, cursor), with a text (titles, links), and the short ones. No
 * part of one form can be read as another, so that a hostile text costs no more time than a harmless one.
 */
const SEQUENCES =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;

/** Control and format characters, among them line ends, and those that turn the direction of writing. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** One line of text as it may be shown: no escape sequence, no control character, no half of a character. */
export function plain(text: string): string {
  return text.toWellFormed().replaceAll(SEQUENCES, "").replaceAll(CONTROLS, " ").trim();
}

/** Parts a name from its at sign and an address from its scheme; nobody sees it. */
const JOINER = "\u2060";

/** So that a service makes no mention and no link of what an agent says. */
export function defuse(text: string): string {
  return text.replaceAll("@", `@${JOINER}`).replaceAll("://", `:${JOINER}//`);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** A text as HTML shows it, in an attribute too. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
