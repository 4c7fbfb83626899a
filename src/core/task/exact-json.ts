/** More digits than this may not survive as a number. */
const SAFE_DIGITS = 15;
const MAY_BE_LONG = /[0-9.eE+-]{16}/;
const NUMBER = /-?[0-9][0-9.eE+-]*/y;
const STARTS_NUMBER = /[-0-9"]/g;

/**
 * JSON.parse, except that a number with over 15 digits comes as text, digit for digit, where JSON.parse would round it
 * silently. Throws the SyntaxError of JSON.parse.
 */
export function parseExactJson(text: string): unknown {
  // Checked as it stands: with quotes put in, some texts that are no JSON would become JSON.
  const parsed: unknown = JSON.parse(text);
  return MAY_BE_LONG.test(text) ? JSON.parse(quoteLongNumbers(text)) : parsed;
}

/** Takes valid JSON: whatever starts like a number outside of strings is one. */
function quoteLongNumbers(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  STARTS_NUMBER.lastIndex = 0;
  for (let found = STARTS_NUMBER.exec(text); found !== null; found = STARTS_NUMBER.exec(text)) {
    if (found[0] === '"') {
      STARTS_NUMBER.lastIndex = endOfString(text, found.index);
      continue;
    }
    NUMBER.lastIndex = found.index;
    const number = NUMBER.exec(text)?.[0] ?? found[0];
    const end = found.index + number.length;
    STARTS_NUMBER.lastIndex = end;
    if (number.replace(/[^0-9]/g, "").length <= SAFE_DIGITS) continue;
    parts.push(text.slice(copied, found.index), `"${number}"`);
    copied = end;
  }
  return parts.join("") + text.slice(copied);
}

/** Behind the closing quote of the string that opens at `from`. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from + 1); ; quote = text.indexOf('"', quote + 1)) {
    if (quote < 0) return text.length;
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
}

const BLANKS = /[ \t\n\r]*/y;
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const PLAIN = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![0-9a-zA-Z.+-])/y;

/** What may come next. */
type Place = "value" | "first value" | "key" | "first key" | "colon" | "comma";

/**
 * Where a text stops being JSON, as a position in it (its length, if it only ends too early), or undefined if it is JSON.
 * JSON.parse finds out too, but often does not tell.
 */
export function jsonFault(text: string): number | undefined {
  const open: ("[" | "{")[] = [];
  let place: Place = "value";
  let at = after(BLANKS, text, 0) ?? 0;
  for (;;) {
    const inner = open.at(-1);
    if (place === "comma" && inner === undefined) return at === text.length ? undefined : at;
    const sign = text[at] ?? "";
    let end: number | undefined = at + 1;
    if (place === "colon") {
      if (sign !== ":") return at;
      place = "value";
    } else if (sign === (inner === "[" ? "]" : "}") && CAN_CLOSE.has(place)) {
      open.pop();
      place = "comma";
    } else if (place === "comma") {
      if (sign !== ",") return at;
      place = inner === "[" ? "value" : "key";
    } else if (place === "key" || place === "first key") {
      end = after(STRING, text, at);
      place = "colon";
    } else if (sign === "[" || sign === "{") {
      open.push(sign);
      place = sign === "[" ? "first value" : "first key";
    } else {
      end = after(sign === '"' ? STRING : PLAIN, text, at);
      place = "comma";
    }
    if (end === undefined) return at;
    at = after(BLANKS, text, end) ?? end;
  }
}

const CAN_CLOSE: ReadonlySet<Place> = new Set(["first value", "first key", "comma"]);

/** Behind what stands at that place, or undefined if it does not stand there. */
function after(form: RegExp, text: string, at: number): number | undefined {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : undefined;
}
