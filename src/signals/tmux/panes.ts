import { type Runner, runProgram } from "../../system/exec.ts";
import { PANE_FORMAT, type Pane, parsePanes } from "./pane.ts";
import { askTmux, type Server } from "./server.ts";

/** All panes of a server; none where there is no server. `problem` says why they cannot be seen. */
export async function listPanes(
  run: Runner = runProgram,
  server: Server = {},
): Promise<{ readonly panes: readonly Pane[]; readonly problem?: string }> {
  const answer = await askTmux(run, server, ["list-panes", "-a", "-F", PANE_FORMAT]);
  if (answer.how === "answered") return { panes: parsePanes(answer.text) };
  return answer.how === "absent" ? { panes: [] } : { panes: [], problem: answer.problem };
}
