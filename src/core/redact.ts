import { TOKEN_SHAPES } from "./token-shapes.ts";

const GONE = "[redacted]";

/** A quote, also within a JSON text that stands in another one, as deep as that may be. */
const QUOTE = String.raw`(?:\\{0,7}["']|\\{1,7}u0022)`;

/**
 * What may stand for a value after `name=`: quoted, also by quotes that are escaped themselves, or up to a space, because
 * a password may contain any sign. A text that was cut has no closing quote. A value that is redacted already is none, so
 * that the text after it is not taken for its rest.
 */
const VALUE = [
  String.raw`(?!\[redacted\])(?:"(?:[^"\\\n]|\\.){1,4000}"?`,
  String.raw`'[^'\n]{1,4000}'?`,
  String.raw`(?<quote>\\{1,7}(?:["']|u0022))(?:(?!(?<!\\)\k<quote>)[^\n]){1,4000}(?:\k<quote>)?`,
  String.raw`[^\s"'&]{1,4000})`,
].join("|");

/** Words that make a name a secret's name, in any of its spellings: `DB_PASSWORD`, `api-key`, `accessToken`. */
const NAME =
  "(?:pass(?:word|wd|phrase|code)|passwd|pwd|secret|token(?!s\\W{0,6}[0-9][0-9.,]{0,12}[km]?\\b)|(?:api|access|private|signing|encryption|auth|account|master|ping)[-_ ]?key|credentials?|session[-_ ]?(?:id|key)|webhook[-_ ]?url|connection[-_ ]?string|dsn)";

const SEPARATOR = String.raw`\s{0,5}(?:=>|:=|=(?!>)|:(?!=)|%3[AD])\s{0,5}`;

/** Where a token may begin: not within a word, but right behind an escaped sign such as `\n`, `%3D` or `ESC[31m`. */
const EDGE = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[abefnrtv])|(?<=\\u00[0-9A-Fa-f]{2})|(?<=%[0-9A-Fa-f]{2})|(?<=\[[0-9;]{0,12}m))`;

/**
 * Each rule finds a secret: what it matches, behind its first group if it has one. All of them run in linear time, because
 * agents write what they like: every repetition is bounded, or cannot overlap with what follows it. Most texts hold none of
 * the words and signs without which no rule of this list applies: then none is tried.
 */
const NAMED: readonly RegExp[] = [
  // A private key, also one whose end was cut off.
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z0-9 ]{0,20}-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,60}-----|$)/g,
  // Headers that carry a secret to the end of their line.
  new RegExp(
    `(${EDGE}(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]{0,30}(?:token|key|auth|secret))${QUOTE}?\\s{0,5}[:=]\\s{0,5})[^\\r\\n]{1,8000}`,
    "gi",
  ),
  new RegExp(`(${EDGE}bearer\\s{1,5})(?=[A-Za-z._~+/=-]{0,4000}[0-9])[A-Za-z0-9._~+/=-]{8,}`, "gi"),
  new RegExp(`(${EDGE}(?:[Bb]asic|BASIC)\\s{1,5})(?=[a-z]{0,4000}[A-Z0-9+/=])[A-Za-z0-9+/=]{8,}`, "g"),
  // An address with a user or a password in it, or with a secret in its query.
  /(:\/\/)[^\s/?#@"'<>]{1,1000}(?=@)/g,
  /([?&](?:key|sig|signature|auth|code|x-amz-[a-z-]{1,30})=)[^\s&"'<>\\]{1,4000}/gi,
  // Lines of .netrc, on one line or on several.
  /(\b(?:machine|login|account)\s{1,5}\S{1,200}\s{1,5}password\s{1,5})\S{1,400}/g,
  new RegExp(`(\\bsshpass\\s{1,5}-p\\s{0,5})${VALUE}`, "g"),
  // A value that is called a secret: `name=value`, `"name": "value"`, `--name value`, `name: value`.
  new RegExp(`(${NAME}[A-Za-z0-9_-]{0,20}${QUOTE}?${SEPARATOR})${VALUE}`, "gi"),
  new RegExp(`(--?[A-Za-z0-9-]{0,30}${NAME}\\s{1,5})(?!-)${VALUE}`, "gi"),
];
const HINT =
  /-----|:\/\/|[?&]|auth|cookie|bearer|basic|pass|pwd|secret|token|key|credential|session|webhook|connection|dsn|curl|wget|xh|http/i;

/** The same for secrets that have no name: each contains an unbroken run of signs, which most texts do not have either. */
const SHAPED: readonly RegExp[] = [
  // Addresses that are secrets themselves.
  /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/_-]{8,}/gi,
  /(discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/)[A-Za-z0-9/_-]{8,}/gi,
  /(\.webhook\.office\.com\/webhookb2\/)[A-Za-z0-9/_@-]{8,}/gi,
  /(\/ping\/)[A-Za-z0-9-]{20,40}/g,
  // Tokens that can be told by their form. The one of a Telegram bot stands right behind `bot` in addresses.
  new RegExp(`${EDGE}(?:${Object.values(TOKEN_SHAPES).join("|")})`, "g"),
  /(?<!\d)\d{6,12}(?::|%3A)[A-Za-z0-9_-]{30,}/g,
];
const RUN = /[\w.+/=-]{13}/;

/** A command that takes `-u name:password`, to its end; a backslash may continue it on the next line. */
const ASKS = /\b(?:curl|wget|xh|https?)\s(?:[^\n\\]|\\[\s\S])*/g;
const USER =
  /((?:^|\s)(?:-[fgikLnNsSv46]{0,6}u\s{0,5}|--(?:proxy-)?(?:user|password)(?:=|\s{1,5}))["']?)(?!\[redacted\])[^\s"']{1,400}/g;

/** A part of a text, from its first position to the one after its last. */
type Range = readonly [from: number, to: number];

/**
 * A text without its secrets, as far as they can be told by their form or their name; and without those that are
 * known. It is generous: a harmless word that goes is better than a key that stays. It finds a secret across rows that a
 * terminal wrapped, too.
 */
export function redact(text: string, known: readonly string[] = []): string {
  const ranges = secretsIn(text, known);
  if (text.includes("\n")) {
    const { joined, original } = unwrapped(text);
    for (const [from, to] of joined === text ? [] : secretsIn(joined, known))
      ranges.push([original(from), original(to - 1) + 1]);
  }
  if (ranges.length === 0) return text;
  ranges.sort(([a], [b]) => a - b);
  let clean = "";
  let at = 0;
  for (const [from, to] of ranges) {
    // Ranges that overlap or touch are one.
    if (from > at || clean === "") clean += text.slice(at, from) + GONE;
    at = Math.max(at, to);
  }
  return clean + text.slice(at);
}

function secretsIn(text: string, known: readonly string[]): Range[] {
  const found: Range[] = [];
  for (const secret of known) {
    if (secret.length < 4) continue;
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length))
      found.push([at, at + secret.length]);
  }
  const find = (within: string, pattern: RegExp, offset = 0) => {
    for (const { 0: whole, 1: before = "", index } of within.matchAll(pattern))
      found.push([offset + index + before.length, offset + index + whole.length]);
  };
  if (RUN.test(text)) for (const pattern of SHAPED) find(text, pattern);
  if (!HINT.test(text)) return found;
  for (const pattern of NAMED) find(text, pattern);
  for (const { 0: command, index } of text.matchAll(ASKS)) find(command, USER, index);
  return [...found, ...headlessKeys(text)];
}

/** Private keys whose beginning was cut off. By hand: as a pattern this would take quadratic time. */
function headlessKeys(text: string): Range[] {
  const found: Range[] = [];
  let low = 0;
  for (const { 0: end, index } of text.matchAll(/-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/g)) {
    let from = index;
    while (from > low && /[A-Za-z0-9+/=\s\\]/.test(text[from - 1] ?? "")) from -= 1;
    low = index + end.length;
    found.push([from, low]);
  }
  return found;
}

/** A narrower row is no row of a terminal. */
const NARROWEST = 40;
/** How wide terminals usually are. Rows of a log may have been wrapped there although others are longer. */
const USUAL: ReadonlySet<number> = new Set([80, 120]);
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/gu;

/**
 * The text with the rows joined that a terminal wrapped, and where a position of it is in the original. A row that was
 * wrapped within a word fills the screen to its last column, and no row is wider than the screen. So every row that is as
 * wide as the widest one may have been wrapped.
 */
function unwrapped(text: string): { joined: string; original: (position: number) => number } {
  const rows = text.split("\n");
  const widths = rows.map((row) => row.length + (row.match(WIDE)?.length ?? 0));
  const widest = widths.reduce((most, width) => Math.max(most, width), NARROWEST);
  const pieces: { readonly at: number; readonly from: number }[] = [];
  let joined = "";
  let from = 0;
  for (const [index, row] of rows.entries()) {
    const width = widths[index] ?? 0;
    const isLast = index === rows.length - 1;
    pieces.push({ at: joined.length, from });
    joined += isLast || width === widest || USUAL.has(width) ? row : `${row}\n`;
    from += row.length + 1;
  }
  const original = (position: number): number => {
    let low = 0;
    let high = pieces.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((pieces[middle]?.at ?? 0) <= position) low = middle;
      else high = middle;
    }
    const piece = pieces[low] ?? { at: 0, from: 0 };
    return piece.from + position - piece.at;
  };
  return { joined, original };
}
