// What a screen asks, in its own words: for people who answer it from elsewhere.

export interface Choice {
  readonly number: number;
  readonly label: string;
  /** The key that takes it. */
  readonly key: string;
}

export interface ScreenQuestion {
  readonly text: string;
  /** None if the question wants words. */
  readonly choices: readonly Choice[];
}

/** A row without the frame around it. */
const FRAME = /^[\s│┃|▌╭╰╮╯]+|[\s│┃|▌╭╰╮╯]+$/gu;
const CHOICE = /^(?:[❯›»>▶→•*●◉○◯]\s*)?\(?([1-9])[.)]\s+(\S.*)$/u;
const YES_NO = /[[(]\s*y(?:es)?\s*\/\s*n(?:o)?\s*[\])]/iu;
/** How a prompt below a menu ends; and a command at a shell's prompt. */
const ASKS = /[?:]\s*$/u;
const COMMAND = /^(?:[^#\s]\S*)?\$\s+\S|^[^#\s]\S*#\s+\S/u;
/** A choice may take more rows than one. */
const ROWS_BETWEEN = 2;
/** Hints such as "Esc to cancel" stand below a menu. */
const ROWS_BELOW = 4;
const ROWS_ABOVE = 8;
const LONGEST = 200;

/** Words of a secret: such a question is never answered from elsewhere. */
const SECRET =
  /pass(?:word|phrase|code)|\bsecret\b|\btoken\b|api.?key|one.?time|verification code|\botp\b|\bpin\b/iu;

export function asksForSecret({ text, choices }: ScreenQuestion): boolean {
  return choices.length === 0 && SECRET.test(text);
}

/** The question at the end of a screen; undefined if the screen is empty. */
export function questionIn(screen: readonly string[]): ScreenQuestion | undefined {
  const rows = screen.map((row) => row.replaceAll(FRAME, ""));
  while (rows.length > 0 && rows.at(-1) === "") rows.pop();
  if (rows.length === 0) return undefined;
  const menu = menuIn(rows);
  if (menu !== undefined) {
    // A shell asks below its menu; what stands above it is the command then.
    const asked = rows.slice(menu.to).filter((row) => ASKS.test(row));
    const above = textAbove(
      asked.length === 0 ? rows : rows.map((row) => (COMMAND.test(row) ? "" : row)),
      menu.from,
    );
    return { text: [above, ...asked].filter((part) => part !== "").join("\n"), choices: menu.choices };
  }
  const text = textAbove(rows, rows.length);
  if (!YES_NO.test(rows.at(-1) ?? "")) return { text, choices: [] };
  return {
    text,
    choices: [
      { number: 1, label: "yes", key: "y" },
      { number: 2, label: "no", key: "n" },
    ],
  };
}

/** The last rows that are numbered from 1 on. */
function menuIn(
  rows: readonly string[],
): { readonly from: number; readonly to: number; readonly choices: readonly Choice[] } | undefined {
  const choices: Choice[] = [];
  let to = rows.length;
  let between = 0;
  for (let at = rows.length - 1; at >= 0; at--) {
    const [, digit, label = ""] = CHOICE.exec(rows[at] ?? "") ?? [];
    const number = Number(digit);
    if (digit === undefined || (choices[0] !== undefined && number !== choices[0].number - 1)) {
      if (rows[at] !== "" || choices.length > 0) between += 1;
      if (between > (choices.length > 0 ? ROWS_BETWEEN : ROWS_BELOW)) return undefined;
      continue;
    }
    between = 0;
    if (choices.length === 0) to = at + 1;
    choices.unshift({ number, label: label.slice(0, LONGEST), key: digit });
    if (number === 1) return choices.length > 1 ? { from: at, to, choices } : undefined;
  }
  return undefined;
}

function textAbove(rows: readonly string[], end: number): string {
  const above = rows.slice(Math.max(0, end - ROWS_ABOVE), end);
  return above
    .filter((row) => row !== "" && !/^[─━═╌-]+$/u.test(row))
    .join("\n")
    .slice(-4 * LONGEST);
}
