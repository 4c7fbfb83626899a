import type { ConfigFile } from "./schema.ts";

/** An item of `agents`: an agent, or where more of them are to be found. */
export type AgentItem = ConfigFile["agents"][number];

/** An agent that the config declares, by its id or by a place where its id was found. */
export type DeclaredAgent = Omit<AgentItem, "id" | "registry" | "sessions"> & {
  readonly id: string;
  /** Only the registry of ticks names it: it is on the roll, and its silence is no death. */
  readonly promisesNothing?: true;
};

/** What agents that are found have in common. */
export type AgentDefaults = Omit<DeclaredAgent, "id">;
