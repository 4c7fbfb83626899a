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
    } else if (sign === (inner === "[" ? "]" : "}") && CAN_CLOSE[place]) {
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

const CAN_CLOSE: Readonly<Record<Place, boolean>> = {
  value: false,
  "first value": true,
  key: false,
  "first key": true,
  colon: false,
  comma: true,
};

/** Behind what stands at that place, or undefined if it does not stand there. */
function after(form: RegExp, text: string, at: number): number | undefined {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : undefined;
}
