import { ConnectError } from "./connect-error.ts";

/** One `key = value` before the first table, from its first character to the end of its last line. */
interface Statement {
  readonly start: number;
  readonly end: number;
}

/** The program that Codex calls at the end of a turn: where that stands in its `config.toml`, if it stands there. */
export function notifyIn(text: string, file: string): Statement | undefined {
  return statements(text, file).find(({ start }) =>
    /^(?:notify|"notify"|'notify')[ \t]*[=.]/.test(text.slice(start, start + 80)),
  );
}

/** The text with the call as its first line: whatever follows, that is a key of no table. */
export function withNotify(text: string, call: readonly string[]): string {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const rest = text.slice(mark.length);
  const line = rest.includes("\r\n") ? "\r\n" : "\n";
  // A string of JSON is one of TOML too.
  return `${mark}notify = [${call.map((word) => JSON.stringify(word)).join(", ")}]${line}${rest}`;
}

export function without(text: string, { start, end }: Statement): string {
  return text.slice(0, start) + text.slice(end);
}

function statements(text: string, file: string): readonly Statement[] {
  const found: Statement[] = [];
  let at = text.startsWith("\ufeff") ? 1 : 0;
  while (at < text.length) {
    const first = text[at] ?? "";
    if (/\s/.test(first)) at += 1;
    else if (first === "#") at = lineEnd(text, at);
    else if (first === "[") break;
    else {
      const end = valueEnd(text, at);
      if (end === undefined) {
        const line = text.slice(0, at).split("\n").length;
        throw new ConnectError(
          "bad-settings",
          `${file} is not valid TOML (line ${line} never ends); nothing was changed`,
        );
      }
      found.push({ start: at, end });
      at = end;
    }
  }
  return found;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

/** Behind the line on which a value ends: strings and lists may go over several. */
function valueEnd(text: string, from: number): number | undefined {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text[at] ?? "";
    if (char === "\n" && depth === 0) return at + 1;
    if (char === '"' || char === "'") {
      const end = stringEnd(text, at, char);
      if (end === undefined) return undefined;
      at = end;
      continue;
    }
    if (char === "#") {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
      continue;
    }
    if (char === "[" || char === "{") depth += 1;
    if (char === "]" || char === "}") depth -= 1;
    at += 1;
  }
  return depth === 0 ? text.length : undefined;
}

function stringEnd(text: string, from: number, quote: string): number | undefined {
  const isLong = text.startsWith(quote.repeat(3), from);
  const close = isLong ? quote.repeat(3) : quote;
  let at = from + close.length;
  while (at < text.length) {
    if (text.startsWith(close, at)) {
      at += close.length;
      // A long string may end with quotes of its own.
      while (isLong && text[at] === quote) at += 1;
      return at;
    }
    if (!isLong && text[at] === "\n") return undefined;
    at += quote === '"' && text[at] === "\\" ? 2 : 1;
  }
  return undefined;
}
