import { agentsOf, type Config, defaultRule } from "../config/load.ts";
import type { Policy } from "../core/incident/policy.ts";
import type { State } from "../core/liveness/state.ts";
import type { FleetPolicy } from "../watch/intent.ts";
import { ownAgent } from "./own-beat/own-beat.ts";
import { tellingOf } from "./telling/routing.ts";

/** The step that a person can take for an agent in this state, as its ladder declares it. */
function stepFor({ agents, defaults }: Config, agent: string, state: State): "nudge" | "restart" | undefined {
  const ladder = agents.find(({ id }) => id === agent)?.recover ?? defaults.recover;
  for (const step of ladder)
    if ((step.do === "nudge" || step.do === "restart") && step.when.states.includes(state)) return step.do;
  return undefined;
}

/** Which agents need which. */
function needsOf({ agents }: Config): Pick<Policy, "needs" | "neededBy"> {
  const needs = new Map(agents.map(({ id, after = [] }) => [id, after]));
  if ([...needs.values()].every((after) => after.length === 0)) return {};
  return {
    needs: (agent) => needs.get(agent) ?? [],
    neededBy: (agent) => [...needs].filter(([, after]) => after.includes(agent)).map(([id]) => id),
  };
}

/** What the config says of the fleet, the watcher's own agent included. */
export function policyOf(config: Config, now: number): FleetPolicy {
  const agents = agentsOf(config, now);
  const own = ownAgent(config.daemon.heartbeat, now);
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  return {
    autoRegister: config.autoRegister !== false,
    ...(typeof config.autoRegister === "object" ? { newcomers: config.autoRegister } : {}),
    defaultRule: defaultRule(config),
    // Who declares it by hand has the last word.
    agents: agents.some(({ id }) => id === own.id) ? agents : [...agents, own],
    telling: {
      ...tellingOf(config),
      stepFor: (agent, state) => stepFor(config, agent, state),
      nameOf: (agent) => names.get(agent),
      ...needsOf(config),
    },
  };
}
