import type { Agent } from "../src/core/agent.ts";
import type { Instant } from "../src/core/duration.ts";
import type { Chance } from "./chance.ts";
import { type Pace, RULES } from "./fleet.ts";

/** The config file: people change it while the watcher runs, and before they restart it. */
export class Settings {
  /** As it was at first. */
  readonly first: readonly Agent[];
  defaultRule: Pace;
  readonly #all: readonly Agent[];
  readonly #chance: Chance;
  readonly #stretch: number;
  #declared: readonly Agent[];

  /** `all` are the agents that beat, declared or not; `fixed` are declared always. */
  constructor(
    chance: Chance,
    stretch: number,
    defaultRule: Pace,
    { all, fixed }: { readonly all: readonly Agent[]; readonly fixed: readonly Agent[] },
  ) {
    this.#chance = chance;
    this.#stretch = stretch;
    this.#all = all;
    this.defaultRule = defaultRule;
    this.#declared = [...all.filter(({ origin }) => origin === "config"), ...fixed];
    this.first = this.#declared;
  }

  get declared(): readonly Agent[] {
    return this.#declared;
  }

  /** Changes a rule or the defaults, declares an agent, or takes a declaration away. Answers what was done. */
  change(now: Instant): string {
    const agent = this.#chance.one(this.#all);
    const { every, grace } = this.#chance.one(RULES);
    const rule = { every: this.#stretch * every, grace: this.#stretch * grace };
    const others = this.#declared.filter(({ id }) => id !== agent.id);
    const isDeclared = others.length < this.#declared.length;
    const act = this.#chance.one(["rule", "rule", "default", "other"] as const);
    if (act === "default") {
      this.defaultRule = rule;
      return "default";
    }
    if (act === "other" && isDeclared) {
      this.#declared = others;
      return `undeclare ${agent.id}`;
    }
    this.#declared = [...others, { ...agent, origin: "config", rule, addedAt: now }];
    return `${isDeclared ? "rule" : "declare"} ${agent.id}`;
  }
}
