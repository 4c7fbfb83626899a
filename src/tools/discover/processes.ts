import type { AgentClient } from "../../features/coding-agents/clients.ts";
import { clientOf } from "../../features/coding-agents/clients.ts";
import { environmentOf, type Proc } from "../../system/proc.ts";

/** A coding agent that runs in a terminal outside of tmux. */
export interface AgentProcess {
  readonly client: AgentClient;
  readonly folder: string;
  /** The settings of the signal `process` that find it again. */
  readonly match: string;
}

/** A command line that is longer is no good pattern. */
const LONGEST = 200;

/**
 * The coding agents of this user that have a terminal of their own. Those in tmux are found by their panes, and one that
 * another one started belongs to it.
 */
export function agentProcesses(proc: Proc): readonly AgentProcess[] {
  const found = new Map<string, AgentProcess>();
  for (const pid of proc.commands().keys()) {
    const argv = proc.command(pid);
    const client = clientOf(argv);
    const stat = client === undefined ? undefined : proc.stat(pid);
    const folder = proc.folder(pid);
    if (client === undefined || stat === undefined || stat.foreground <= 0 || folder === undefined) continue;
    if ((environmentOf(pid)?.TMUX ?? "") !== "" || isBelowAnAgent(stat.parent, proc)) continue;
    const match = `^${escaped(argv.join(" ").slice(0, LONGEST))}`;
    // Two of the same command line cannot be told apart.
    found.set(match, { client, folder, match });
  }
  return [...found.values()];
}

function isBelowAnAgent(pid: number, proc: Proc): boolean {
  for (let at = pid; at > 1; at = proc.stat(at)?.parent ?? 0)
    if (clientOf(proc.command(at)) !== undefined) return true;
  return false;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
