import { dirname, resolve } from "node:path";
import { expandTilde } from "../agent/home.ts";
import { sayProblem } from "../core/beat-input.ts";
import { TickError } from "../core/tick/error.ts";
import type { AgentDefaults, AgentItem, DeclaredAgent } from "./declared-agent.ts";
import { registryAt } from "./registry-file.ts";
import type { ConfigFile } from "./schema.ts";
import { findSessions, type SessionPattern } from "./sessions.ts";

export interface Declared {
  readonly agents: readonly DeclaredAgent[];
  /** Where files come and go that are agents each. */
  readonly sessions: readonly SessionPattern[];
  /** One sentence for each entry or file that could not become an agent, and for each old key. */
  readonly overlooked: readonly string[];
  /** What makes the config bad. */
  readonly problems: readonly string[];
}

/**
 * The one list of agents: those that stand in the config, those of registries and those of session logs. An agent that is
 * declared by its id is as declared there; a registry gives it a name if it has none.
 */
export async function declaredIn(config: ConfigFile, file: string): Promise<Declared> {
  const beside = (path: string) => resolve(dirname(resolve(file)), expandTilde(path));
  const agents = byId(config.agents);
  const sessions: SessionPattern[] = [];
  const overlooked: string[] = [];
  const problems: string[] = [];

  const takeRegistry = (key: string, path: string, defaults: AgentDefaults) => {
    const registered = readRegistry(path);
    if ("problem" in registered) {
      // `config check` warns of a tick.registry that is not there; the watcher has always started without it.
      if (key !== "tick.registry" || !registered.missing) problems.push(`${key}: ${registered.problem}`);
      return;
    }
    overlooked.push(...registered.overlooked.map((problem) => `${key}: ${path}: ${problem}`));
    for (const { id, name } of registered.agents) {
      const known = agents.get(id);
      if (known === undefined) agents.set(id, { id, ...withName(defaults, name) });
      else if (known.name === undefined && name !== undefined) agents.set(id, { ...known, name });
    }
  };

  for (const [index, { id, registry, sessions: pattern, ...defaults }] of config.agents.entries()) {
    const key = `agents[${index}]`;
    if (registry !== undefined) takeRegistry(`${key}.registry`, beside(registry), defaults);
    if (pattern !== undefined) sessions.push({ key: `${key}.sessions`, pattern: beside(pattern), defaults });
  }
  const { registry } = config.tick;
  const isListed = config.agents.some(
    (item) =>
      item.registry !== undefined && registry !== undefined && beside(item.registry) === beside(registry),
  );
  if (registry !== undefined && !isListed)
    takeRegistry("tick.registry", beside(registry), { promisesNothing: true });
  const found = await findSessions(sessions, agents);
  return {
    agents: [...agents.values(), ...found.agents],
    sessions,
    overlooked: [...overlooked, ...found.overlooked],
    problems,
  };
}

/** The agents that are declared by their ids. */
export function byId(items: readonly AgentItem[]): Map<string, DeclaredAgent> {
  return new Map(
    items.flatMap(({ registry: _, sessions: __, id, ...item }) =>
      id === undefined ? [] : [[id, { id, ...item }] as const],
    ),
  );
}

/** The registry knows its agents by name better than a default does. */
function withName({ name: common, ...defaults }: AgentDefaults, name: string | undefined): AgentDefaults {
  const called = name ?? common;
  return called === undefined ? defaults : { ...defaults, name: called };
}

interface Registered {
  readonly agents: readonly { readonly id: string; readonly name?: string }[];
  readonly overlooked: readonly string[];
}

function readRegistry(path: string): Registered | { problem: string; missing: boolean } {
  try {
    const entries = registryAt(path, "");
    return {
      agents: entries.flatMap((entry) => ("agent" in entry && entry.agent.active ? entry.agent : [])),
      overlooked: entries.flatMap((entry) => ("problem" in entry ? sayProblem(entry.problem) : [])),
    };
  } catch (error) {
    if (!(error instanceof TickError)) throw error;
    return { problem: error.message, missing: error.code === "no-registry" };
  }
}
