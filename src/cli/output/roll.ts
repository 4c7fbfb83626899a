import { operationsOf, type Where } from "../../service/connect.ts";
import type { AgentWithPing, RollFilter, WholeRoll } from "../../service/operations.ts";
import { Failure, NOT_THERE, NoSuchAgentError } from "./failure.ts";
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

/** The agent; refuses one that nobody has heard of. */
export async function mustBeOnRoll(common: CommonOptions, agent: string): Promise<AgentWithPing> {
  const [found] = (await callTheRoll(common, agent)).agents;
  if (found === undefined) throw new NoSuchAgentError(agent);
  return found;
}

/** Refuses a host that does not report to this hub. */
export async function mustBeHost(common: CommonOptions, host: string): Promise<void> {
  const hosts = await operationsOf(common).hosts();
  if (hosts.some(({ name }) => name === host)) return;
  throw new Failure(`there is no host "${host}"; \`rollcall hosts list\` shows them`, NOT_THERE);
}

/** Says on stderr what is wrong with the config, beside the roll. */
export function tellConfigError({ configError, watcher }: CalledRoll): void {
  if (configError === undefined) return;
  if (watcher.running) {
    const [first = "", ...more] = configError.split("\n");
    const rest = more.length === 0 ? "" : ` (and ${more.length} more)`;
    const says = "the config file has a mistake, so the watcher still uses the old config";
    process.stderr.write(`rollcall: ${says}: ${plain(first)}${rest}; see: rollcall config check\n`);
    return;
  }
  for (const line of configError.split("\n")) process.stderr.write(`rollcall: ${plain(line)}\n`);
  process.stderr.write("rollcall: the config cannot be used; the roll shows what is stored\n");
}
