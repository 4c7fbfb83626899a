import type { TmuxSettings } from "../../signals/tmux/settings.ts";
import type { Proc } from "../../system/proc.ts";
import type { TmuxServer } from "../../system/tmux.ts";
import type { Pane } from "../../system/tmux-pane.ts";
import { type AgentClient, clientOf } from "./clients.ts";

/** A pane in which a coding agent works. */
export interface AgentPane {
  readonly server: TmuxServer;
  readonly pane: Pane;
  readonly client: AgentClient;
  /** How the config names it. */
  readonly settings: TmuxSettings;
  /** What it may be called: its session, and where that has several panes its place there. */
  readonly name: string;
}

/** The panes of a server in which coding agents work. */
export function agentPanes(server: TmuxServer, panes: readonly Pane[], proc: Proc): readonly AgentPane[] {
  return panes.flatMap((pane) => {
    if (pane.end !== undefined) return [];
    const client = clientIn(pane, proc);
    if (client === undefined) return [];
    const { session, window, index } = pane;
    const isAlone = panes.filter((other) => other.session === session).length === 1;
    const place = isAlone ? { session } : { target: `${session}:${window.index}.${index}` };
    const name = isAlone ? session : `${session}-${window.index}-${index}`;
    return [{ server, pane, client, settings: { ...place, ...server }, name }];
  });
}

/** Most run as `node`, and often below a shell: the pane's own process is asked first, then those below it. */
function clientIn({ command, pid }: Pane, proc: Proc): AgentClient | undefined {
  const own = clientOf([command]) ?? clientOf(proc.command(pid));
  if (own !== undefined) return own;
  for (const { life } of proc.descendants(pid)) {
    const client = clientOf(proc.command(life.pid));
    if (client !== undefined) return client;
  }
  return undefined;
}
