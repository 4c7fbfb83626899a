import { remembering } from "./remember.ts";

/** A row in which somebody speaks, or a tool is called: it opens with a bullet. */
const bullet = /^(?:[●○◉◎◯•⏺◦*✱✦⚒⚙🔧🛠⚡→▶▸⊷⊶\u2800-\u28ff]\uFE0F?)\s+\S/u;
/** A tool's call: its name, and its arguments right behind it. */
const call = /^(\S+\s+[\w.-]+(?: [\w.-]+){0,2})\(.*$/u;
const quoted = /(["'`])(?:(?!\1).)+\1/g;
/** With a letter: `4/5` counts something. */
const path = /(?<![\w/.])(?=[\w./@-]*[A-Za-z])[\w.@-]*[\w@-]\/[\w./@-]*/g;
/** A file by its ending; `e.g.` and version numbers are none. */
const file = /(?<![\w/.:@])@?(?:[\w.@-]+\/)*[\w@-]{2,}(?:\.[\w-]+)*\.[A-Za-z]\w{0,4}\b/g;

/**
 * The rows without what they only name: files, and the arguments of tools. Whatever stands in those, an agent does not ask
 * it of anybody.
 */
export const withoutNames = remembering((text) => text.split("\n").map(bare).join("\n"));

/** The expressions above take quadratic time, and a row that is longer than this names no file to anybody. */
const mostRow = 1000;

function bare(row: string): string {
  if (row.length > mostRow) return row;
  const own = bullet.test(row) ? row.replace(call, "$1()").replace(quoted, '""').replace(path, "…") : row;
  return own.replace(file, "…");
}
