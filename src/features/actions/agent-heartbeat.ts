import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../config/load.ts";
import type { HeartbeatAction } from "../../schedule/engine/action.ts";
import { ActionError, type ActionOptions, settleOptions } from "../../schedule/engine/options.ts";
import type { RollView } from "../../watch/view.ts";
import type { Own } from "./own.ts";

interface AgentHeartbeat {
  readonly action: HeartbeatAction;
  readonly when: { readonly every: number };
  readonly options: ActionOptions;
  readonly channels: readonly string[];
}

/** The heartbeats of agents that go to a channel, as actions: so they are listed, retried and kept as any other. */
export function agentHeartbeats(
  { agents }: Pick<Config, "agents">,
  own: Own | undefined,
): readonly AgentHeartbeat[] {
  return agents.flatMap(({ id, heartbeat }) => {
    if (heartbeat === undefined) return [];
    // No action of the config can have such a name.
    const name = `heartbeat:${id}`;
    const when = { every: heartbeat.every };
    // What an agent did an hour ago is no heartbeat.
    const options = { missed: "skip" } as const;
    settleOptions(name, when, options);
    return [{ action: heartbeatOf(name, id, own), when, options, channels: [heartbeat.to] }];
  });
}

/** Whether two configs let the same heartbeats go to the same channels. */
export function sameHeartbeats(one: Pick<Config, "agents">, other: Pick<Config, "agents">): boolean {
  const told = ({ agents }: Pick<Config, "agents">) =>
    agents.flatMap(({ id, heartbeat }) => (heartbeat === undefined ? [] : [{ id, heartbeat }]));
  return isDeepStrictEqual(told(one), told(other));
}

function heartbeatOf(name: string, id: string, own: Own | undefined): HeartbeatAction {
  return {
    name,
    description: `tells a channel how ${id} is`,
    async execute() {
      if (own === undefined) throw new ActionError("bad-action", `${name} runs in the daemon`);
      const place = own.watcher.reader.place(id);
      if (place === undefined) return { shouldNotify: false, skipped: "not-on-the-roll" };
      return { shouldNotify: true, message: sayHeartbeat(own.watcher.reader.view(place)) };
    },
  };
}

/** Name, state, cycle, last action and status in one line, as far as they are known, and the reason below it. */
export function sayHeartbeat({ id, name, state, cycle, action, status, why }: AgentSaid): string {
  const parts = [
    state,
    ...(cycle === null ? [] : [`cycle ${cycle}`]),
    ...(action === null ? [] : [`last action: ${action.replace(/\s+/g, " ")}`]),
    ...(status === null ? [] : [`status ${status}`]),
  ];
  return `${name ?? id}: ${parts.join(", ")}\n${why}`;
}

type AgentSaid = Pick<RollView, "id" | "name" | "state" | "cycle" | "action" | "status" | "why">;
