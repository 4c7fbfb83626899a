import { RE2JS } from "re2js";
import type { Pattern } from "../../core/screen/rule.ts";

/** White space as JavaScript knows it; RE2 takes only ASCII's. Clients put no-break spaces into their prompts. */
const BLANKS = String.raw`\s\v\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;

/** Every escape, and the ends of classes. */
const PIECES = /\\[\s\S]|[[\]]/g;

/**
 * A pattern that is matched in time proportional to the text, whatever the pattern: RE2's syntax, which has no look-around
 * and no back-references. It ignores case, and `^` and `$` stand for a row's ends. Throws if it is none.
 */
export function compilePattern(text: string): Pattern {
  let inClass = false;
  const spaced = RE2JS.translateRegExp(text).replace(PIECES, (piece) => {
    if (piece === "\\s") return inClass ? BLANKS : `[${BLANKS}]`;
    if (piece === "\\S" && !inClass) return `[^${BLANKS}]`;
    if (piece === "[") inClass = true;
    if (piece === "]") inClass = false;
    return piece;
  });
  const pattern = RE2JS.compile(spaced, RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE);
  return {
    test: (row) => pattern.test(row),
    // Most rows do not match, and to find that out is cheaper than to find out where.
    [Symbol.search](row) {
      if (!pattern.test(row)) return -1;
      const matcher = pattern.matcher(row);
      return matcher.find() ? matcher.start() : -1;
    },
  };
}
