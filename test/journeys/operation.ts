import type { Chance } from "../../sim/chance.ts";
import type { Agent, Model } from "./model.ts";

/** What is done next: lines for a shell, and what they make true. */
export interface Plan {
  readonly lines: readonly string[];
  /** The last line must be refused, with a sentence and no stack trace; nothing may change. */
  readonly refused?: boolean;
  /** What the lines must print, among other things. */
  readonly says?: string;
  /** Counted besides the operation itself. */
  readonly also?: string;
  /** States that agents may pass through on the way, besides those before and after. */
  readonly through?: Readonly<Record<string, readonly string[]>>;
  readonly apply: () => void;
}

/** Something that a user would do, or that befalls a fleet. It has no plan where it cannot be done now. */
export interface Operation {
  readonly name: string;
  /** How often it is chosen, in proportion. */
  readonly weight: number;
  readonly plan: (model: Model, chance: Chance) => Plan | undefined;
}

/** One of them, or no plan at all. */
export function oneOf<T>(chance: Chance, list: readonly T[], plan: (one: T) => Plan): Plan | undefined {
  return list.length === 0 ? undefined : plan(chance.one(list));
}

export function agentsOf(model: Model, wanted: (agent: Agent) => boolean): readonly Agent[] {
  return [...model.agents.values()].filter(wanted);
}
