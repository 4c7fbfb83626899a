import { agentsOf, type Config, defaultRule } from "../config/load.ts";
import type { FleetPolicy } from "../watch/intent.ts";
import { ownAgent } from "./own-beat/own-beat.ts";
import { tellingOf } from "./telling/routing.ts";

/** What the config says of the fleet, the watcher's own agent included. */
export function policyOf(config: Config, now: number): FleetPolicy {
  const agents = agentsOf(config, now);
  const own = ownAgent(config.daemon.heartbeat, now);
  return {
    autoRegister: config.autoRegister !== false,
    ...(typeof config.autoRegister === "object" ? { newcomers: config.autoRegister } : {}),
    defaultRule: defaultRule(config),
    // Who declares it by hand has the last word.
    agents: agents.some(({ id }) => id === own.id) ? agents : [...agents, own],
    telling: tellingOf(config),
  };
}
