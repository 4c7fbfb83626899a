/**
 * What SQLite's binding would cut short (text ends at NUL) or spoil (half of a surrogate pair is not UTF-8) is
 * written as U+0010 and its code in four digits. Hardly any text contains such a character, so nearly all of
 * it is stored as it is.
 */
const UNSAFE = /[\0\x10\p{Surrogate}]/u;
const EACH_UNSAFE = /[\0\x10\p{Surrogate}]/gu;
const ESCAPED = /\x10([0-9a-f]{4})/g;

export function toColumn(text: string): string {
  if (!UNSAFE.test(text)) return text;
  return text.replace(EACH_UNSAFE, (unit) => `\x10${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function fromColumn(column: string): string {
  if (!column.includes("\x10")) return column;
  return column.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
