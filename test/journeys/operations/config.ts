import type { Chance } from "../../../sim/chance.ts";
import { configText } from "../config-file.ts";
import { type Config, type Declared, LONG, type Model, type Rule, SHORT } from "../model.ts";
import type { Operation, Plan } from "../operation.ts";

/** Edits of the config file. They take effect when the watcher reads it. */
export const configOperations: readonly Operation[] = [
  edit("change every", 3, (model, chance) =>
    change(model, chance, isRuled, (agent) => {
      const rule = agent.rule ?? model.file.defaults;
      return { ...agent, rule: rule.every === "1s" ? LONG : SHORT };
    }),
  ),
  edit("change grace", 3, (model, chance) =>
    change(model, chance, isRuled, (agent) => {
      const { every, grace } = agent.rule ?? model.file.defaults;
      return { ...agent, rule: { every, grace: every === "1h" ? "5m" : grace === "1s" ? "2s" : "1s" } };
    }),
  ),
  edit("change defaults", 3, ({ file }) => ({
    ...file,
    defaults: file.defaults.every === "1s" ? LONG : SHORT,
  })),
  edit("declare an agent", 2, (model, chance) => {
    model.made += 1;
    return withAgent(model.file, { id: `b${model.made}`, ...ruleOf(chance) });
  }),
  edit("declare one that registered itself", 8, (model, chance) => {
    const free = [...model.agents.values()].filter(
      ({ origin, id, kind }) =>
        origin !== "config" && kind === "beats" && !model.file.agents.some((agent) => agent.id === id),
    );
    if (free.length === 0) return undefined;
    return withAgent(model.file, { id: chance.one(free).id, ...ruleOf(chance) });
  }),
  edit("take an agent out of the config", 5, (model, chance) => {
    const { agents } = model.file;
    if (agents.length < 4) return undefined;
    // Under `rollcall run` an agent has been heard: it would stay, by two kinds of evidence at once.
    const { id } = chance.one(agents.filter(({ run }) => !run));
    return { ...model.file, agents: agents.filter((agent) => agent.id !== id) };
  }),
  edit("add a signal", 4, (model, chance) =>
    change(
      model,
      chance,
      (agent) => isBeats(agent) && !agent.log,
      (agent) => ({ ...agent, log: true }),
    ),
  ),
  edit("take a signal away", 12, (model, chance) =>
    change(
      model,
      chance,
      (agent) => agent.log === true,
      ({ log: _, ...agent }) => agent,
    ),
  ),
  edit("add a channel", 5, ({ file }) => (file.second ? undefined : { ...file, second: true })),
  edit("take a channel away", 14, ({ file }) => (file.second ? { ...file, second: false } : undefined)),
  edit("add a recovery", 5, (model, chance) =>
    change(
      model,
      chance,
      (agent) => isRestartable(model, agent) && !agent.recover,
      (agent) => ({
        ...agent,
        recover: true,
      }),
    ),
  ),
  edit("take a recovery away", 7, (model, chance) =>
    change(
      model,
      chance,
      (agent) => agent.recover === true,
      ({ recover: _, ...agent }) => agent,
    ),
  ),
  {
    name: "break the YAML",
    weight: 3,
    plan: (model) => {
      if (model.broken) return undefined;
      return {
        lines: [`echo 'agents: [' >> "$ROLLCALL_HOME/rollcall.yaml"`],
        apply: () => {
          model.broken = true;
        },
      };
    },
  },
  {
    name: "mend the YAML",
    weight: 20,
    plan: (model) => (model.broken ? written(model, model.file) : undefined),
  },
];

function edit(
  name: string,
  weight: number,
  next: (model: Model, chance: Chance) => Config | undefined,
): Operation {
  return {
    name,
    weight,
    plan: (model, chance) => {
      if (model.broken) return undefined;
      const config = next(model, chance);
      return config === undefined ? undefined : written(model, config);
    },
  };
}

/** The lines that write the config file, for the shell to fill in its variables. */
export function writeConfig(config: Config): string {
  return `cat > "$ROLLCALL_HOME/rollcall.yaml" <<END\n${configText(config)}\nEND`;
}

function written(model: Model, config: Config): Plan {
  return {
    lines: [writeConfig(config)],
    apply: () => {
      model.file = config;
      model.broken = false;
    },
  };
}

function change(
  model: Model,
  chance: Chance,
  wanted: (agent: Declared) => boolean,
  next: (agent: Declared) => Declared,
): Config | undefined {
  const found = model.file.agents.filter(wanted);
  if (found.length === 0) return undefined;
  const chosen = chance.one(found);
  return {
    ...model.file,
    agents: model.file.agents.map((agent) => (agent === chosen ? next(agent) : agent)),
  };
}

const isBeats = ({ pane, process, run }: Declared): boolean => !pane && !process && !run;
const isRuled = (agent: Declared): boolean => isBeats(agent);

function isRestartable(model: Model, { id, pane, process }: Declared): boolean {
  if (process) return true;
  return pane === true && model.panes.get(id)?.shell === undefined;
}

function withAgent(config: Config, agent: Declared): Config {
  return { ...config, agents: [...config.agents, agent] };
}

/** An explicit rule, or none, so that the defaults rule. */
function ruleOf(chance: Chance): { rule?: Rule } {
  return chance.one([{}, { rule: SHORT }, { rule: LONG }]);
}
