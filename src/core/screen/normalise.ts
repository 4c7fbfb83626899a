/**
 * Remembers what a pure function answered: most rows of a screen are the same from frame to frame. It changes no
 * result, and it is emptied when it is full, so that its size stays bounded.
 */
export function remembering<T>(compute: (text: string) => T, max = 2000): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const answer = compute(text);
    if (known.size >= max) known.clear();
    known.set(text, answer);
    return answer;
  };
}

/** Spinner glyphs and bullets, which are drawn in turn at one place and say nothing. */
const glyphs =
  /[\u2800-\u28ff✢✳✶✷✸✹✺✻✽✦✧∗·∙•●○◦◯◉◎◌◐◓◑◒◴◷◶◵◰◳◲◱◜◝◞◟◠◡⏺⏵■□▪▫⬝▰▱◆◇◈⚬⬤☰☱☲☳☴☵☶☷⊷⊶⧖⧗⏳⌛]/gu;
const frames = /(?<=^|\s)[|/\\-](?=\s|$)/g;
const boxes = /[\u2500-\u257f]+|[▀▄▌▐▁▔▕▏╹╻┃]+/gu;
const dates = /\b\d{4}-\d\d-\d\d(?:[T ]|\b)|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b/g;
const clocks = /\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s?[ap]m\b|Z\b)?|--:--(?::--)?/gi;
const rates = /[\d.,]+\s?(?:[kmgt]i?)?(?:b|bytes?|bits?|it|items?|tok(?:ens?)?|[x×])?\/s(?:ec)?\b/gi;
// Small letters only: 14.3M is a size.
const durations =
  /\b\d+(?:[.,]\d+)?\s?(?:ms|msecs?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b/g;
const ids = /\b(?:pid|port|line|id|eta|elapsed|pts)\b[\s:=#]*\d+|\b[0-9a-f]*\d[0-9a-f]{6,}\b(?=.*[a-f])/gi;
/** A bar says how full it is, wherever its full part stands: one that grows is news, one that bounces is not. */
const bars = /[█▓▒░]+/g;
/** Dots behind a word, of which some clients draw one, two and three in turn. */
const dots = /(?<=\p{L})(?:\.{1,3}|…)(?=\s|$)/gu;
/** A scroll bar at the end of a row. */
const scrollBar = /(?:^|\s{2})[█▓▒░▐┃║]\s*$/u;
/** Brackets in which only a time stood. */
const emptied = /[([{][\s,;/-]*[)\]}]/g;
const numbers = /\d+(?:[.,]\d+)*\s?(?:[kmgt](?:i?b)?\b)?/gi;
const complaint =
  /\b(?:errors?|err|errno|fail(?:ed|ure|s|ing)?|refused|denied|time[ds]? ?out|retry(?:ing)?|attempts?|exception|unable|cannot|can't|unreachable|reconnect(?:ing)?|again|fatal)\b/i;
const noFailure = /\b(?:no|0) (?:errors?|fail(?:ed|ures?)|failing)\b/gi;

const frameEnd = /[\s│┃║▌▐╎┊█]/u;
/** What a row says stands in its beginning. Some of the expressions below take quadratic time, so the rest is not looked at. */
const mostSaid = 1000;

/** A line at the beginning of a row, as of a box: two strokes at least, because `└` alone is a mark. */
const lineStart =
  /^[╭╰┌└├╔╚╠╓╙╒╘]?[─━═╌┄┬┴┼╴╶]{2,}[╮╯┐┘┤╗╝╣]?[\s│┃║]*|^[╭┌├╔╠][─━═]?\s(?=[^\n]*[─━═]{2}[╮┐┤╗╣]?\s*$)/u;
const lineEnd = /[─━═╌┄┬┴┼╴╶╮╯┐┘┤╗╝╣]/u;

/** Removes frames around a row and blanks at both ends, so that a rule sees the text of a boxed row, or text in the frame itself. */
export const unboxed = remembering((row) => {
  const inside = row.replace(/^[\s│┃║|▌▐╎┊█]+/u, "");
  const text = inside.replace(lineStart, "");
  const isFrame = text !== inside;
  // From the end, because an expression would try every run of blanks.
  let end = text.length;
  while (end > 0 && (frameEnd.test(text.charAt(end - 1)) || (isFrame && lineEnd.test(text.charAt(end - 1)))))
    end -= 1;
  return text.slice(0, end);
});

/** A row in which somebody speaks, or a tool is called: it opens with a bullet. */
export const bullet = /^(?:[●○•⏺◉◎◯◦*✱✦⚒⚙🔧🛠⚡→▶▸⊷⊶\u2800-\u28ff]\uFE0F?)\s+\S/u;
/** A tool's call: its name, and its arguments right behind it. */
export const call = /^(\S+\s+[\w.-]+(?: [\w.-]+){0,2})\(.*$/u;
/** What a tool printed hangs below its call. */
const hanging = /^[⎿└↳]/u;

/** The rows, but empty where a tool printed them: below its call, up to the next blank row. */
export function withoutOutput(rows: readonly string[]): readonly string[] {
  let isOutput = false;
  return rows.map((row, y) => {
    const text = unboxed(row);
    if (bullet.test(text)) isOutput = call.test(text) || hanging.test(unboxed(rows[y + 1] ?? ""));
    else if (text === "") isOutput = false;
    else if (isOutput) return "";
    return row;
  });
}

/** What a row says when everything that moves by itself is removed; its numbers stand as `#`. */
export const said = remembering((row) =>
  timeless(row)
    .replace(bars, (bar) => "█".repeat(bar.split("█").length - 1))
    .replace(numbers, "#")
    .replace(dots, "…")
    .replace(emptied, " ")
    .replace(/\s+/g, " ")
    .trim(),
);

/** A row without what is drawn in turn at one place: a spinner, a bullet that blinks. */
export function still(row: string): string {
  return row.replace(glyphs, " ").replace(/\s+/g, " ").trim();
}

function timeless(row: string): string {
  return row
    .slice(0, mostSaid)
    .replace(scrollBar, " ")
    .replace(glyphs, " ")
    .replace(boxes, " ")
    .replace(frames, " ")
    .replace(dates, " ")
    .replace(clocks, " ")
    .replace(rates, " ")
    .replace(durations, " ")
    .replace(ids, " ");
}

/**
 * The numbers of a row that count something. Times, rates and identifiers do not, and neither does anything in
 * a row that complains: the tenth attempt is no more progress than the first.
 */
export const counts = remembering((row): readonly number[] => {
  if (complaint.test(row.replace(noFailure, ""))) return [];
  return [...timeless(row).matchAll(numbers)].slice(0, 6).map(([text]) => amount(text));
});

/** Tokens that a busy row counts: `↓ 1.2k tokens`. A counter that moves is work, one that stands still a hang. */
export function tokens(row: string): number {
  const shown = /([\d.,]+\s?[km]?)\s*(?:tokens?|tok)\b|[↓↑]\s*([\d.,]+\s?[km]?)/i.exec(
    row.slice(0, mostSaid),
  );
  return amount(shown?.[1] ?? shown?.[2] ?? "0");
}

/** Errors that a status bar counts: `✖ 3 errors (ctrl+o for details)`. */
export function errorsIn(row: string): number {
  return Number(/(?:^|[^\w.,-])(\d{1,4}) errors?\b/i.exec(row.slice(0, mostSaid))?.[1] ?? 0);
}

const scale: Record<string, number> = { k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

function amount(text: string): number {
  const [digits = "0", unit = ""] = text.toLowerCase().split(/\s?(?=[kmgt])/);
  const decimal = /^\d+[.,]\d{1,2}$/.test(digits);
  const value = Number(decimal ? digits.replace(",", ".") : digits.replace(/[.,]/g, ""));
  return (Number.isFinite(value) ? value : 0) * (scale[unit.charAt(0)] ?? 1);
}
