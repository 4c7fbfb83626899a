import { ask, runningWatcher } from "../daemon/client.ts";
import { loadConfig } from "../daemon/config/load.ts";
import { type Home, homeAt } from "../daemon/home.ts";
import { type AgentView, rollOffline } from "../daemon/offline.ts";
import { NoSuchAgentError } from "./failure.ts";

/** The options that every command takes. */
export interface Common {
  readonly home?: string;
  readonly config?: string;
}

/** `status --json`: documented in docs/api.md, and kept. */
export interface Roll {
  readonly watcher: { readonly running: boolean; readonly [key: string]: unknown };
  readonly agents: readonly AgentView[];
}

/** The roll from the watcher, or, if none runs or it does not answer, from the files. */
export async function callTheRoll(common: Common, only?: string): Promise<Roll> {
  const home = homeAt(common.home);
  const watcher = runningWatcher(home);
  if (watcher?.url === undefined) return fromFiles(common, home, only, null);
  try {
    const path = only === undefined ? "/api/v1/agents" : `/api/v1/agents/${encodeURIComponent(only)}`;
    return (await ask(home, watcher.url, "GET", path)) as Roll;
  } catch (error) {
    if ((error as { code?: string }).code === "no-such-agent") return fromFiles(common, home, only, null);
    return fromFiles(common, home, only, error instanceof Error ? error.message : String(error));
  }
}

/** Refuses an agent that nobody has heard of. */
export async function mustBeOnRoll(common: Common, agent: string): Promise<void> {
  const { agents } = await callTheRoll(common, agent);
  if (agents.length === 0) throw new NoSuchAgentError(agent);
}

async function fromFiles(
  common: Common,
  home: Home,
  only: string | undefined,
  problem: string | null,
): Promise<Roll> {
  const config = await loadConfig(home.path, common.config);
  const agents = await rollOffline(home, config, only);
  return { watcher: { running: false, home: home.path, problem }, agents };
}
