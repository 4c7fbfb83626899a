import { type Runner, runProgram } from "../../system/run-program.ts";
import { choosePane, scopeOf } from "./choose.ts";
import { PANE_FORMAT, parsePanes } from "./pane.ts";
import { askTmux } from "./server.ts";
import { sayTarget, type TmuxSettings } from "./settings.ts";

type Piping = "started" | "already" | { readonly problem: string };

/**
 * Appends all that a pane writes from now on to a file. A pane has one pipe: one that it has stays as it is. `-o` alone
 * would not do, because it closes the pipe that is there.
 */
export async function pipePane(
  target: TmuxSettings,
  logFile: string,
  run: Runner = runProgram,
): Promise<Piping> {
  const listed = await askTmux(run, target, ["list-panes", ...scopeOf(target), "-F", PANE_FORMAT]);
  const name = sayTarget(target);
  if (listed.how === "unclear") return { problem: listed.problem };
  const pane = listed.how === "answered" ? choosePane(parsePanes(listed.text), target) : undefined;
  if (pane === undefined) return { problem: `${name} does not exist` };
  if (pane.end !== undefined) return { problem: `the program in ${name} has ended (${pane.end.exit})` };
  if (pane.isPiped) return "already";
  const answer = await askTmux(run, target, ["pipe-pane", "-o", "-t", pane.id, appendTo(logFile)]);
  if (answer.how === "answered") return "started";
  return { problem: answer.how === "unclear" ? answer.problem : `${name} does not exist` };
}

/** The command that a pane is piped to. tmux expands `#…` and the times of `%…` in it before a shell sees it. */
export function appendTo(path: string): string {
  const quoted = /^[\w@+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
  return `exec cat >> ${quoted.replaceAll("#", "##").replaceAll("%", "%%")}`;
}
