import { sayDuration } from "../../../core/duration.ts";
import { quoted } from "../../../core/quoted.ts";
import { fillTemplate, type LogPlace, sessionLog } from "../../../session-log/template.ts";
import { isUnfed } from "../../../signals/log/unfed.ts";
import { paneOf } from "../../../signals/tmux/choose.ts";
import type { TmuxSettings } from "../../../signals/tmux/settings.ts";
import { isSomebodysOutput } from "../../../system/proc.ts";
import { appendTo, Tmux } from "../../../system/tmux.ts";
import type { Pane } from "../../../system/tmux-pane.ts";
import { tmuxCommand } from "../../../system/tmux-servers.ts";
import {
  type AgentHere,
  agentsHere,
  type Check,
  type CheckContext,
  type CheckFinding,
  note,
  ok,
  warn,
} from "../check.ts";

export const logsCheck: Check = {
  name: "logs",
  looksAt: "logs of agents in tmux: each still receives its pane's output",
  worst: "warning",
  async run(context) {
    const agents = (await agentsHere(context)).filter(isPiped);
    if (agents.length === 0) return [ok("no agent has a log that its tmux pane writes")];
    const found: CheckFinding[] = [];
    const count = { fed: 0, untold: 0 };
    for (const agent of agents) {
      const looked = await lookAt(agent, context);
      if (typeof looked === "string") count[looked] += 1;
      else found.push(looked);
    }
    if (found.length > 0) return found;
    const fed =
      count.fed === 1 ? "1 log receives its pane's output" : `${count.fed} logs receive their panes' output`;
    const untold =
      count.untold === 0
        ? ""
        : `; ${count.untold} could not be compared: the pane has ended or shares its window`;
    return [ok(`${fed}${untold}`)];
  },
};

/** A log of the agent's own making (`plain`) need not say what its pane shows. */
function isPiped({ signals: { tmux, log } }: AgentHere): boolean {
  return tmux !== undefined && log !== undefined && !log.plain;
}

type Looked = CheckFinding | "fed" | "untold";

async function lookAt({ id, signals }: AgentHere, { host, now }: CheckContext): Promise<Looked> {
  const { tmux, log } = signals;
  if (tmux === undefined || log === undefined) return "untold";
  const { panes, problem } = await new Tmux(tmux, host.run).allPanes();
  if (problem !== undefined) return note(`the log of ${id} cannot be compared with its pane: ${problem}`);
  const pane = paneOf(panes, tmux);
  // Whether the agent is there is for the watcher to say; and the time is the window's, whoever wrote in it.
  if (pane === undefined || pane.end !== undefined || pane.window.panes > 1) return "untold";
  const { path, folder } = log;
  const keys = { agent: id, ...log.keys };
  const place: LogPlace = { ...(path && { path }), ...(folder && { folder }), keys };
  const file = await sessionLog(place).find(now());
  const wroteAt = pane.activity * 1000;
  if ("problem" in file) return warn(`${id}: ${file.problem}`, repipe(tmux, pane, place));
  if (!isUnfed(file, wroteAt)) return "fed";
  // The window's time may also be that of a pane that was beside this one and is gone.
  if (pane.isPiped && isSomebodysOutput(file)) return "fed";
  const why = pane.isPiped
    ? "the log was replaced, and the pipe still writes to the old file"
    : "the pane is no longer piped to it";
  const behind = sayDuration(wroteAt - file.modifiedAt);
  const says = `${id}: the log ${file.path} is ${behind} behind its pane: ${why}`;
  return warn(says, repipe(tmux, pane, { path: file.path }));
}

/** A pane has one pipe: a new one takes the place of the old one. */
function repipe(settings: TmuxSettings, { id }: Pane, { path = "", keys }: LogPlace): string {
  const filled = fillTemplate(path, keys);
  const pipe = `${tmuxCommand(settings)} pipe-pane -t ${id}`;
  if ("problem" in filled || filled.isPattern) return `Pipe it to a file that fits: ${pipe} 'exec cat >> …'`;
  return `Pipe it again: ${pipe} ${quoted(appendTo(filled.path))}`;
}
