import * as z from "zod";
import { SECOND } from "../../core/duration.ts";
import type { Command } from "../../core/recovery/ladder.ts";
import type { Acted, Target } from "../../ports/recovery.ts";
import { type Runner, run } from "../../system/exec.ts";
import { type Launch, Tmux, type TmuxAnswer } from "../../system/tmux.ts";
import type { RecoveryDeps } from "../kit/adapter.ts";
import { argvOf, environmentOf, expanded } from "../kit/command.ts";
import { AgentPane } from "../kit/tmux.ts";

const settings = z.object({
  session: z.string().optional(),
  target: z.string().optional(),
  socket: z.string().optional(),
  socketPath: z.string().optional(),
});

/** Starts a command in the agent's tmux pane, or in a new one if that is gone. Undefined if the agent has none. */
export async function inPane(
  command: Command,
  target: Target,
  { home, run: ask }: RecoveryDeps,
  abort: AbortSignal,
): Promise<Acted | undefined> {
  const where = settings.safeParse(target.agent.signals?.tmux).data;
  if (where === undefined) return undefined;
  const { cwd, command: line, ...extra } = command;
  const env = environmentOf(extra, home, target);
  const launch: Launch = {
    argv: argvOf(line),
    ...(cwd === undefined ? {} : { cwd: expanded(cwd) }),
    env: { ...extra.env, ROLLCALL_AGENT: target.agent.id },
  };
  // A server that is started by this inherits its environment, and so do all its panes.
  const starts = new Tmux(where, inEnvironment(env));
  const found = await AgentPane.of(target, ask)?.find(abort);
  if (found !== undefined && "pane" in found) {
    const { id, dead } = found.pane;
    if (!dead) return { outcome: "dropped", why: "another program, such as a shell, is running in its pane" };
    return acted(await starts.respawn(id, false, abort, launch), `started in the pane ${id}`);
  }
  const place = placeOf(where);
  if (place === undefined) {
    const problem = `its pane ${where.target} is gone, and a new one would have another number; name its session instead`;
    return { outcome: "failed", problem };
  }
  const opened = await starts.open(place, launch, abort);
  return acted(opened, `started in a new pane of the tmux session ${place.session}`);
}

function acted(told: TmuxAnswer, note: string): Acted {
  return told.how === "answered"
    ? { outcome: "done", note }
    : { outcome: "failed", problem: `tmux did not start it (${told.problem})` };
}

/** Where a new pane would be found as the agent's: its session, and its window if that has a name. */
function placeOf({ session, target = "" }: z.output<typeof settings>) {
  if (session !== undefined) return { session };
  const [, name, window] = /^([^:%][^:]*):([^:.]*[^:.0-9][^:.]*)$/.exec(target) ?? [];
  return name === undefined || window === undefined ? undefined : { session: name, window };
}

const TIME_LIMIT = 5 * SECOND;

function inEnvironment(env: NodeJS.ProcessEnv): Runner {
  return (program, args, signal) =>
    run(program, args, { env, timeout: TIME_LIMIT, killSignal: "SIGKILL", ...(signal && { signal }) });
}
