import type { Config } from "../config/load.ts";
import { paneOf } from "../signals/tmux/choose.ts";
import { listPanes } from "../signals/tmux/panes.ts";
import { askTmux } from "../signals/tmux/server.ts";
import type { TmuxSettings } from "../signals/tmux/settings.ts";
import { type Runner, runProgram } from "../system/run-program.ts";

/** A pane that a step is to respawn, and that tmux would close with its program. */
export interface Unkept {
  readonly says: string;
  /** What keeps it. */
  readonly command: string;
}

/** Agents with a respawn on their ladder whose pane is there now, but would not stay. It only asks. */
export async function unkeptPanes(
  { agents, defaults }: Pick<Config, "agents" | "defaults">,
  watched: readonly { readonly id: string; readonly tmux?: TmuxSettings | undefined }[],
  run: Runner = runProgram,
): Promise<readonly Unkept[]> {
  const found: Unkept[] = [];
  for (const { id, tmux } of watched) {
    const ladder = agents.find((agent) => agent.id === id)?.recover ?? defaults.recover;
    const respawns = ladder.some((step) => step.do === "restart" && step.with.by === "respawn");
    if (tmux === undefined || !respawns) continue;
    const pane = paneOf((await listPanes(run, tmux)).panes, tmux);
    if (pane === undefined) continue;
    const kept = await askTmux(run, tmux, ["display-message", "-p", "-t", pane.id, "#{remain-on-exit}"]);
    if (kept.how !== "answered" || !["", "off"].includes(kept.text.trim())) continue;
    const server = tmux.socketPath ? ` -S ${tmux.socketPath}` : tmux.socket ? ` -L ${tmux.socket}` : "";
    found.push({
      says: `Rollcall cannot respawn ${id} in its tmux pane: remain-on-exit is off, so the pane closes when its program ends`,
      command: `tmux${server} set-option -w -t ${pane.id} remain-on-exit on`,
    });
  }
  return found;
}
