import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rowsOf, type TerminalRun } from "../../ui/agent/ansi.ts";
import { rollcall } from "../product.ts";

export const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
] as const;
export const THEMES = ["light", "dark"] as const;

const NAMED = {
  light: {
    ...{ ground: "#fbfbf9", text: "#1c222d" },
    colours: "#1c222d #b3261e #21704a #775a00 #2b67ab #7a3fae #0f6b75 #5a6473".split(" "),
    bright: "#5a6473 #c9362c #2d8a5c #937000 #3a78bd #8d55c4 #157f8a #1c222d".split(" "),
  },
  dark: {
    ...{ ground: "#13161b", text: "#d5dae2" },
    colours: "#7d8590 #f58378 #67c692 #dcb85a #7db2ee #c79bf0 #6fd6e0 #d5dae2".split(" "),
    bright: "#98a3b3 #ffa198 #8fe0b4 #f0d584 #a9cbff #ddbcff #9be8f0 #ffffff".split(" "),
  },
} as const;

const [CELL, LINE, EDGE] = [8.4, 18, 14];

/** What a command draws in a terminal of some size, as an SVG: a few KB, sharp at every size. */
export async function pictureOf(
  home: string,
  command: "status" | "top",
  { columns, rows }: (typeof SIZES)[number],
  theme: (typeof THEMES)[number],
): Promise<string> {
  const screen = await screenOf(home, command, columns, rows);
  const [width, height] = [columns * CELL + 2 * EDGE, rows * LINE + 2 * EDGE];
  const { ground, text } = NAMED[theme];
  const lines = rowsOf(screen)
    .map((row, y) => drawn(row, y, theme))
    .join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"><title>rollcall ${command}, ${columns}×${rows}</title><rect width="100%" height="100%" rx="8" fill="${ground}"/><g font-family="ui-monospace,SFMono-Regular,Menlo,DejaVu Sans Mono,monospace" font-size="14" fill="${text}">${lines}</g></svg>\n`;
}

/** Runs it in a tmux of its own and reads the pane when it stands still. */
async function screenOf(home: string, command: string, columns: number, rows: number): Promise<string> {
  // A server that is just ending refuses a session: each picture has one of its own.
  const server = `rollcall-shots-${process.pid}-${randomUUID()}`;
  const tmux = (...more: string[]) =>
    execFileSync("tmux", ["-L", server, "-f", "/dev/null", ...more], {
      env: {
        PATH: process.env.PATH,
        HOME: home,
        ROLLCALL_HOME: home,
        LANG: "C.UTF-8",
        TERM: "xterm-256color",
      },
    }).toString();
  // What is written stays on the screen until it is read.
  const line = `'${process.execPath}' '${rollcall}' ${command}; sleep 60`;
  tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), `sh -c ${JSON.stringify(line)}`);
  tmux("set-option", "-g", "status", "off");
  try {
    let [last, still] = ["", 0];
    // `top` counts seconds: what stands for a second and has all agents is read.
    for (let look = 0; look < 60 && still < 3; look++) {
      await new Promise((done) => setTimeout(done, 300));
      last = tmux("capture-pane", "-e", "-p");
      still = last.includes("mailer") ? still + 1 : 0;
    }
    return last.trimEnd();
  } finally {
    tmux("kill-server");
  }
}

function drawn(row: readonly TerminalRun[], y: number, theme: (typeof THEMES)[number]): string {
  let column = 0;
  return row
    .map((run) => {
      const [from, length] = [column, widthOf(run.text)];
      column += length;
      const x = EDGE + from * CELL;
      const back = colourOf(run, "b", theme);
      const box =
        back === undefined
          ? ""
          : `<rect x="${round(x)}" y="${EDGE + y * LINE}" width="${round(length * CELL)}" height="${LINE}" fill="${back}"/>`;
      const fill = colourOf(run, "f", theme);
      const style = [
        ...(fill === undefined ? [] : [` fill="${fill}"`]),
        ...(run.looks.includes("x-bold") ? [' font-weight="700"'] : []),
        ...(run.looks.includes("x-faint") ? [' opacity=".7"'] : []),
      ].join("");
      // Columns stand apart by spaces, which a picture would draw together.
      const pieces = [...run.text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index }) => {
        const left = round(x + widthOf(run.text.slice(0, index)) * CELL);
        return `<text x="${left}" y="${EDGE + y * LINE + 13}" textLength="${round(widthOf(text) * CELL)}"${style}>${escaped(text)}</text>`;
      });
      return box + pieces.join("");
    })
    .join("");
}

function colourOf(run: TerminalRun, kind: "f" | "b", theme: (typeof THEMES)[number]): string | undefined {
  const named = run.looks.find((look) => look.startsWith(`x-${kind}-`))?.slice(4);
  if (named === undefined) return kind === "f" ? run.colour : run.ground;
  const { ground, text, colours, bright } = NAMED[theme];
  if (named === "ground" || named === "text") return named === "ground" ? ground : text;
  return [...colours, ...bright][Number(named)];
}

/** The demo's words are as wide as they have characters. */
function widthOf(text: string): number {
  return [...text].length;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
