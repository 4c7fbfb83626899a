import type { Config } from "../config/load.ts";
import type { Agent } from "../core/agent.ts";
import type { Instant } from "../core/duration.ts";
import { given } from "../core/given.ts";
import { overBudget } from "../core/usage/budget.ts";
import { dayOf } from "../core/usage/day.ts";
import { usageIn } from "../ports/usage.ts";
import type { SignalFindings } from "../watch/intent.ts";
import type { RollPlace } from "../watch/roll-place.ts";

/** Compares what agents used with their budgets: tells when one is over, and when it is no more, such as on the next day. */
export function budgetWatch(
  config: () => Pick<Config, "agents" | "defaults">,
  places: () => Iterable<RollPlace>,
  zone: string,
): (now: Instant) => readonly SignalFindings[] {
  /** Some agent was told to be over a budget, perhaps before the last restart. */
  let anyTold = true;
  return (now) => {
    const { agents, defaults } = config();
    const anyBudget = defaults.budget !== undefined || agents.some(({ budget }) => budget !== undefined);
    if (!anyBudget && !anyTold) return [];
    anyTold = anyBudget;
    const own = new Map(agents.map(({ id, budget }) => [id, budget]));
    // Whoever only sent a beat has none, because nobody has said anything about it.
    const budgetOf = ({ id, origin }: Agent) =>
      origin === "beat" || origin === "host" ? undefined : (own.get(id) ?? defaults.budget);
    const today = dayOf(now, zone);
    const found: SignalFindings[] = [];
    for (const { agent, entry } of places()) {
      const known = entry.observations.find((fact) => fact.kind === "budget");
      const budget = budgetOf(agent);
      const days = budget === undefined ? [] : (usageIn(entry.memories ?? {})?.days ?? []);
      const over =
        budget &&
        overBudget(
          given(budget),
          days.find(({ day }) => day === today),
        );
      const before = known?.kind === "budget" ? known.over : undefined;
      if (over === before) continue;
      const at = known !== undefined && over !== undefined && before !== undefined ? known.at : now;
      const mark = {
        kind: "budget",
        signal: "usage",
        at,
        seenAt: now,
        ...(over === undefined ? {} : { over }),
      } as const;
      found.push({ agent: agent.id, facts: [mark], memories: {} });
    }
    return found;
  };
}
