import type { Config } from "../config/load.ts";
import { paneOf } from "../signals/tmux/choose.ts";
import type { TmuxSettings } from "../signals/tmux/settings.ts";
import { type Runner, runProgram } from "../system/exec.ts";
import { Tmux } from "../system/tmux.ts";
import { tmuxCommand } from "../system/tmux-servers.ts";

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
  for (const { id, tmux: settings } of watched) {
    const ladder = agents.find((agent) => agent.id === id)?.recover ?? defaults.recover;
    const respawns = ladder.some((step) => step.do === "restart" && step.with.by === "respawn");
    if (settings === undefined || !respawns) continue;
    const tmux = new Tmux(settings, run);
    const pane = paneOf((await tmux.allPanes()).panes, settings);
    if (pane === undefined) continue;
    const kept = await tmux.describe(pane.id, "#{remain-on-exit}");
    if (kept.how !== "answered" || !["", "off"].includes(kept.value.trim())) continue;
    found.push({
      says: `Rollcall cannot respawn ${id} in its tmux pane: remain-on-exit is off, so the pane closes when its program ends`,
      command: `${tmuxCommand(settings)} set-option -w -t ${pane.id} remain-on-exit on`,
    });
  }
  return found;
}
