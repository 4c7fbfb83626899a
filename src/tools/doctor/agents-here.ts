import type * as z from "zod";
import { agentsOf } from "../../config/load.ts";
import { StoreError } from "../../ports/store.ts";
import { knownAgents } from "../../service/offline-roll.ts";
import { signalSettings } from "../../signals/settings.ts";
import type { CheckContext } from "./check.ts";

export interface AgentHere {
  readonly id: string;
  readonly signals: z.output<typeof signalSettings>;
}

/** The agents that leave traces; without those of the store if that cannot be read, which its own check tells. */
export async function agentsHere({ home, config, now }: CheckContext): Promise<readonly AgentHere[]> {
  const agents = await knownAgents(home, config).catch((error: unknown) => {
    if (error instanceof StoreError) return agentsOf(config, now());
    throw error;
  });
  return agents.flatMap(({ id, signals }) => {
    const { data } = signalSettings.safeParse(signals);
    return data === undefined ? [] : [{ id, signals: data }];
  });
}
