import { ConfigError } from "../../config/config-error.ts";
import { type Config, defaultConfig, loadConfig } from "../../config/load.ts";
import { type Home, homeAt } from "../../home/home.ts";
import { runningWatcher } from "../../home/running-watcher.ts";
import { StoreEvents } from "../../home/store-events.ts";
import { ask } from "../../service/client.ts";
import { type AgentView, rollOffline } from "../../service/offline.ts";
import { NoSuchAgentError } from "./failure.ts";
import { plain } from "./terminal.ts";

/** The options that every command takes. */
export interface Common {
  readonly home?: string;
  readonly config?: string;
}

/** `status --json`: documented in docs/api.md, and kept. */
export interface Roll {
  readonly watcher: { readonly running: boolean; readonly [key: string]: unknown };
  readonly agents: readonly AgentView[];
  /** Why the config file cannot be used, where it was needed: then the roll is judged by what is stored alone. */
  readonly configError?: string;
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
  const { config, error } = await configOrError(home, common.config);
  const agents = await rollOffline(home, config, only);
  const storeEvents = new StoreEvents(home.path).open();
  const watcher = { running: false, home: home.path, problem, storeEvents };
  return { watcher, agents, ...(error === undefined ? {} : { configError: error }) };
}

/** A broken config must not hide the roll: agents that a watcher has stored keep their rules. */
async function configOrError(
  home: Home,
  named: string | undefined,
): Promise<{ config: Config; error?: string }> {
  try {
    return { config: await loadConfig(home.path, named) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { config: defaultConfig(), error: error.message };
  }
}

/** Says on stderr what is wrong with the config, beside the roll. */
export function tellConfigError({ configError }: Roll): void {
  if (configError === undefined) return;
  for (const line of configError.split("\n")) process.stderr.write(`rollcall: ${plain(line)}\n`);
  process.stderr.write("rollcall: the config cannot be used; the roll shows what is stored\n");
}
