import type { Model } from "../model.ts";
import type { Operation, Plan } from "../operation.ts";

/** The watcher is started, stopped, killed and told to read its config. */
export const daemonOperations: readonly Operation[] = [
  {
    name: "reload",
    weight: 9,
    plan: (model) => {
      if (!model.up) return undefined;
      return reads(model, `rollcall daemon reload${takesMostAway(model) ? " --yes" : ""}`);
    },
  },
  {
    name: "restart",
    weight: 9,
    plan: (model) => (model.up ? reads(model, "rollcall daemon restart") : undefined),
  },
  {
    name: "start",
    weight: 25,
    // While nothing is new in the config, commands can be given without a watcher: leave them time.
    plan: (model, chance) =>
      model.up || (model.file === model.active && chance.hit(0.95))
        ? undefined
        : reads(model, "rollcall daemon start"),
  },
  {
    name: "stop",
    weight: 7,
    plan: (model) =>
      model.up
        ? { lines: ["rollcall daemon stop"], apply: () => Object.assign(model, { up: false }) }
        : undefined,
  },
  {
    name: "kill -9 of the watcher",
    weight: 4,
    plan: (model) => (model.up ? { lines: KILL, apply: () => killed(model) } : undefined),
  },
  {
    name: "kill -9 of the watcher, and start at once",
    weight: 4,
    plan: (model) => {
      if (!model.up || model.broken) return undefined;
      return {
        lines: [...KILL, "rollcall daemon start"],
        apply: () => {
          killed(model);
          model.up = true;
          model.readConfig();
        },
      };
    },
  },
];

const KILL = [`P="$(watcher)"; kill -9 "$P"; patiently is_gone "$P"`];

function killed(model: Model): void {
  model.up = false;
  model.kills += 1;
}

/** Then a reload asks for --yes. */
function takesMostAway({ active, file }: Model): boolean {
  const gone = active.agents.filter(({ id }) => !file.agents.some((agent) => agent.id === id));
  return gone.length >= 3 && gone.length * 2 > active.agents.length;
}

/** A command after which the config file is in force, or which refuses a broken one and leaves everything as it was. */
function reads(model: Model, line: string): Plan {
  if (model.broken) return { lines: [line], refused: true, says: "rollcall.yaml", apply: () => {} };
  return {
    lines: [line],
    apply: () => {
      model.up = true;
      model.readConfig();
    },
  };
}
