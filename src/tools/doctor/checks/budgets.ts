import { agentsOf } from "../../../config/load.ts";
import { operationsOf } from "../../../service/connect.ts";
import { type Check, ok, warn } from "../check.ts";

export const budgetsCheck: Check = {
  name: "budgets",
  looksAt: "agents with a budget of their own: something tells Rollcall what they use",
  worst: "warning",
  async run({ home, configFile, config, now, command }) {
    const withBudget = new Set(config.agents.flatMap(({ id, budget }) => (budget === undefined ? [] : [id])));
    if (withBudget.size === 0) return [ok("no agent has a budget of its own")];
    const where = { home: home.path, ...(configFile !== undefined && { config: configFile }) };
    // A store that cannot be read is told by the check of the database.
    const usage = await operationsOf(where)
      .usage()
      .catch(() => []);
    const told = new Set(usage.flatMap(({ agent, at }) => (at === null ? [] : [agent])));
    const unknown = agentsOf(config, now()).filter(
      ({ id, signals }) => withBudget.has(id) && !told.has(id) && signals?.transcript === undefined,
    );
    if (unknown.length === 0)
      return [ok(`${withBudget.size === 1 ? "1 budget" : `${withBudget.size} budgets`}, measured`)];
    return unknown.map(({ id }) =>
      warn(
        `the budget of ${id} cannot be measured: nothing has told what it uses`,
        `Name its transcript in the config, or connect its client: ${command("connect")} (docs/usage.md)`,
      ),
    );
  },
};
