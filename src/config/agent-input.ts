import type { Agent } from "../core/agent.ts";
import { agentsOf, type Config } from "./load.ts";
import { type Allowed, pathProblem } from "./named-paths.ts";
import { sayIssues } from "./problems.ts";
import { configSchema } from "./schema.ts";

/**
 * Reads an agent that somebody wants to add: the same keys and the same checks as in the config file. Whoever is not the
 * owner of the home names files in the allowed folders only.
 */
export function readAgent(
  value: unknown,
  config: Config,
  now: number,
  allowed?: Allowed,
): { agent: Agent } | { problem: string } {
  const checked = configSchema.safeParse({ agents: [value] });
  if (!checked.success) {
    const said = sayIssues(checked.error.issues, { agents: [value] }, () => undefined);
    return { problem: said.map((sentence) => sentence.replace(/^agents\[0\]\.?/, "")).join("; ") };
  }
  const [item] = checked.data.agents;
  if (item?.id === undefined)
    return { problem: "registry and sessions: expected in the config file only; add an agent by its id" };
  // What is run on this host is said by its owner in a file, never over the network.
  if (item.recover !== undefined) {
    return {
      problem: "recover: expected in the config file only; an agent that is added takes the defaults",
    };
  }
  if (item.budget !== undefined) return { problem: "budget: expected in the config file only" };
  if (item.heartbeat !== undefined) return { problem: "heartbeat: expected in the config file only" };
  const problem = allowed === undefined ? undefined : pathProblem(checked.data.agents[0], allowed);
  if (problem !== undefined) return { problem };
  const [agent] = agentsOf({ ...checked.data, defaults: config.defaults }, now);
  if (agent === undefined) return { problem: "expected an agent" };
  return { agent: { ...agent, origin: "added" } };
}
