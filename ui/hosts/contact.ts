import { hostAgent } from "../../src/core/host-names.ts";
import type { AgentView, State } from "../api/shapes.ts";

/** A host that reports to this hub, as the agent that stands for it says. */
export interface HostContact {
  readonly name: string;
  /** Set while the hub hears nothing from it. */
  readonly lostSince?: string;
}

/** The host that an agent runs on, if it reports here. Null: the agent is the watcher's own. */
export function contactOf(
  agents: ReadonlyMap<string, { readonly agent: AgentView }>,
  name: string | null,
): HostContact | undefined {
  const agent = name === null ? undefined : agents.get(hostAgent(name))?.agent;
  if (name === null || agent === undefined || agent.origin !== "host") return undefined;
  return agent.reason === "host-out-of-contact" ? { name, lostSince: agent.since } : { name };
}

/** What the roll says of hosts: how many of their agents are in each state, and when contact with any was lost or came back. */
export function liveHosts(known: ReadonlyMap<string, { readonly agent: AgentView }>): {
  readonly agents: ReadonlyMap<string, ReadonlyMap<State, number>>;
  readonly flips: string;
} {
  const agents = new Map<string, Map<State, number>>();
  let flips = "";
  for (const { agent } of known.values()) {
    const { host, state } = agent;
    if (host === null || agent.origin !== "host") continue;
    if (agent.id === hostAgent(host)) {
      flips += agent.since;
      continue;
    }
    const counts = agents.get(host) ?? new Map<State, number>();
    agents.set(host, counts.set(state, (counts.get(state) ?? 0) + 1));
  }
  return { agents, flips };
}
