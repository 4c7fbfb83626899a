import { operationsOf, type Where } from "../../service/connect.ts";
import type { AgentWithPing, RollFilter, WholeRoll } from "../../service/operations.ts";
import { NoSuchAgentError } from "./failure.ts";
import { plain } from "./terminal.ts";

/** The options that every command takes; `json` where it prints something. */
export interface CommonOptions extends Where {
  readonly json?: true;
}

/** `status --json`: documented in docs/api.md, and kept. */
export interface CalledRoll extends Omit<WholeRoll, "agents"> {
  readonly agents: readonly AgentWithPing[];
}

/** The whole roll, or one agent in detail: then nobody is on it if there is no such agent. */
export async function callTheRoll(
  common: CommonOptions,
  only?: string,
  filter: RollFilter = {},
): Promise<CalledRoll> {
  const operations = operationsOf(common);
  if (only === undefined) {
    const { watcher, agents, ...rest } = await operations.roll(filter);
    const list: AgentWithPing[] = [];
    for await (const agent of agents) list.push(agent);
    return { watcher, agents: list, ...rest };
  }
  const { watcher, agent, ...rest } = await operations.agent(only);
  return { watcher, agents: agent === undefined ? [] : [agent], ...rest };
}

/** Refuses an agent that nobody has heard of. */
export async function mustBeOnRoll(common: CommonOptions, agent: string): Promise<void> {
  const { agents } = await callTheRoll(common, agent);
  if (agents.length === 0) throw new NoSuchAgentError(agent);
}

/** Says on stderr what is wrong with the config, beside the roll. */
export function tellConfigError({ configError }: CalledRoll): void {
  if (configError === undefined) return;
  for (const line of configError.split("\n")) process.stderr.write(`rollcall: ${plain(line)}\n`);
  process.stderr.write("rollcall: the config cannot be used; the roll shows what is stored\n");
}
