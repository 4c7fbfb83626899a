import { type Runner, runProgram } from "../../system/exec.ts";
import { Tmux } from "../../system/tmux.ts";
import { choosePane, scopeOf } from "./choose.ts";
import { sayTarget, type TmuxSettings } from "./settings.ts";

type Piping = "started" | "already" | { readonly problem: string };

/** Appends all that a pane writes from now on to a file. A pane has one pipe: one that it has stays as it is. */
export async function pipePane(
  target: TmuxSettings,
  logFile: string,
  run: Runner = runProgram,
): Promise<Piping> {
  const tmux = new Tmux(target, run);
  const listed = await tmux.panes(scopeOf(target));
  const name = sayTarget(target);
  if (listed.how === "unclear") return { problem: listed.problem };
  const pane = listed.how === "answered" ? choosePane(listed.value, target) : undefined;
  if (pane === undefined) return { problem: `${name} does not exist` };
  if (pane.end !== undefined) return { problem: `the program in ${name} has ended (${pane.end.exit})` };
  if (pane.isPiped) return "already";
  const answer = await tmux.pipe(pane.id, logFile);
  if (answer.how === "answered") return "started";
  return { problem: answer.how === "unclear" ? answer.problem : `${name} does not exist` };
}
