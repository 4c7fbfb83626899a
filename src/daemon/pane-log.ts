import { closeSync } from "node:fs";
import { join } from "node:path";
import { sessionLogs } from "../session-log/index.ts";
import { pipePane } from "../signals/tmux/pipe.ts";
import type { TmuxSettings } from "../signals/tmux/settings.ts";
import { homeAt, prepareHome } from "./home.ts";

/** The piping could not be started. */
class PipeError extends Error {
  readonly code = "cannot-pipe";
}

/** Lets tmux append all that an agent's pane writes to a log in the home. Returns where that is. */
export async function pipeToLog(
  where: { readonly home?: string },
  agent: string,
  pane: TmuxSettings,
): Promise<{ path: string; how: "started" | "already" }> {
  const home = homeAt(where.home);
  prepareHome(home);
  // Made by us, so that nobody else may read it, and so that it is there before its first byte.
  const { path, fd } = sessionLogs({ folder: join(home.path, "logs") }).open(`${agent}.pane`);
  closeSync(fd);
  const how = await pipePane(pane, path);
  if (typeof how === "object")
    throw new PipeError(`cannot pipe the pane of ${agent} to ${path}: ${how.problem}`);
  return { path, how };
}
