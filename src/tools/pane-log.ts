import { closeSync } from "node:fs";
import { join, resolve } from "node:path";
import { homeAt, prepareHome } from "../home/home.ts";
import { openLog } from "../session-log/follow.ts";
import { fillTemplate } from "../session-log/template.ts";
import { pipePane } from "../signals/tmux/pipe.ts";
import type { TmuxSettings } from "../signals/tmux/settings.ts";

/** The piping could not be started. */
class PipeError extends Error {
  readonly code = "cannot-pipe";
}

/** Lets tmux append all that an agent's pane writes to a log, in the home unless a path is named. Returns where that is. */
export async function pipeToLog(
  where: { readonly home?: string },
  agent: string,
  pane: TmuxSettings,
  named?: string,
): Promise<{ path: string; how: "started" | "already" }> {
  const home = homeAt(where.home);
  prepareHome(home);
  const path = named === undefined ? join(home.path, "logs", `${agent}.pane.log`) : logNamed(named, agent);
  // Made by us, so that nobody else may read it, and so that it is there before its first byte.
  make(path);
  const how = await pipePane(pane, path);
  if (typeof how === "object")
    throw new PipeError(`cannot pipe the pane of ${agent} to ${path}: ${how.problem}`);
  return { path, how };
}

/** Where a path leads that a person gave, with `~/`, `{home}` and `{agent}` filled in. */
function logNamed(path: string, agent: string): string {
  const filled = fillTemplate(path, { agent });
  if ("problem" in filled) throw new PipeError(filled.problem);
  if (filled.isPattern)
    throw new PipeError(`${path} is a pattern; expected one file, such as ~/logs/{agent}.log`);
  return resolve(filled.path);
}

function make(path: string): void {
  try {
    closeSync(openLog(path).fd);
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
    throw new PipeError(`cannot write ${path} (${why}); name a log in a folder of yours`, { cause });
  }
}
