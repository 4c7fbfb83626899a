import type { Chance } from "../../../sim/chance.ts";
import { LONG, type Model, type Rule, SHORT } from "../model.ts";
import { agentsOf, type Operation, oneOf, type Plan } from "../operation.ts";

/** Commands of an operator, with the watcher up, starting and down. */
export const fleetOperations: readonly Operation[] = [
  operator("agents add", 4, (model, chance) => {
    model.made += 1;
    const id = `a${model.made}`;
    const rule = chance.one<Rule>([SHORT, LONG]);
    return {
      lines: [`rollcall agents add ${id} --every ${rule.every} --grace ${rule.grace}`],
      says: `added ${id}`,
      apply: () => model.add(id, rule, "beats"),
    };
  }),
  operator("agents add of one that is there", 3, (model, chance) =>
    oneOf(
      chance,
      agentsOf(model, ({ origin }) => origin !== "beat"),
      ({ id }) => ({ lines: [`rollcall agents add ${id}`], refused: true, says: id, apply: () => {} }),
    ),
  ),
  operator("agents remove", 4, (model, chance) =>
    oneOf(
      chance,
      agentsOf(model, ({ origin, waits }) => origin !== "config" && !waits),
      ({ id }) => ({
        lines: [`rollcall agents remove ${id}`],
        says: `removed ${id}`,
        apply: () => void model.agents.delete(id),
      }),
    ),
  ),
  operator("agents remove of one that is declared", 3, (model, chance) =>
    oneOf(
      chance,
      agentsOf(model, ({ origin }) => origin === "config"),
      ({ id }) => ({ lines: [`rollcall agents remove ${id}`], refused: true, says: id, apply: () => {} }),
    ),
  ),
  operator("agents pause", 4, (model, chance) =>
    oneOf(
      chance,
      agentsOf(model, ({ paused, waits }) => !paused && !waits),
      (agent) => ({
        lines: [`rollcall agents pause ${agent.id}`],
        says: `paused ${agent.id}`,
        apply: () => Object.assign(model.agents.get(agent.id) ?? {}, { paused: true }),
      }),
    ),
  ),
  operator("agents resume", 14, (model, chance) =>
    oneOf(
      chance,
      agentsOf(model, ({ paused }) => paused),
      (agent) => ({
        lines: [`rollcall agents resume ${agent.id}`],
        says: `resumed ${agent.id}`,
        apply: () => Object.assign(model.agents.get(agent.id) ?? {}, { paused: false }),
      }),
    ),
  ),
  operator("silence add", 4, (model, chance) =>
    oneOf(
      chance,
      agentsOf(model, ({ silenced, waits }) => !silenced && !waits),
      (agent) => ({
        lines: [`rollcall silence add --agent ${agent.id} --for 1h | tee "$W/silence.${agent.id}"`],
        says: agent.id,
        apply: () => Object.assign(model.agents.get(agent.id) ?? {}, { silenced: true }),
      }),
    ),
  ),
  operator("silence end", 14, (model, chance) =>
    oneOf(
      chance,
      agentsOf(model, ({ silenced }) => silenced),
      (agent) => ({
        lines: [`rollcall silence end "$(sed -n 's/.*(\\(.*\\)).*/\\1/p' "$W/silence.${agent.id}")"`],
        says: "ended",
        apply: () => Object.assign(model.agents.get(agent.id) ?? {}, { silenced: false }),
      }),
    ),
  ),
];

/** With the watcher down, a command is now and then given while it starts. */
function operator(
  name: string,
  weight: number,
  plan: (model: Model, chance: Chance) => Plan | undefined,
): Operation {
  return {
    name,
    weight,
    plan: (model, chance) => {
      // What the file says is in force at the next start, or at the next command without a watcher.
      if (model.broken || (!model.up && model.file !== model.active)) return undefined;
      const planned = plan(model, chance);
      if (planned === undefined || model.up) return planned;
      return chance.hit(0.5)
        ? whileStarting(model, chance, planned)
        : { ...planned, also: "a command while it is down" };
    },
  };
}

/** The watcher is held up in its start, as on a busy machine. The config file is in force before the command is: what the file declares, the command cannot add. */
function whileStarting(model: Model, chance: Chance, { lines, apply, refused, ...rest }: Plan): Plan {
  const [line = ""] = lines;
  const pause = chance.between(0, 10) / 200;
  return {
    ...rest,
    lines: [
      `rollcall daemon start & START=$!; begun; sleep ${pause}; hold_up; ${line}; GAVE=$?; wait $START; (exit $GAVE)`,
    ],
    also: "a command while it starts",
    ...(refused === undefined ? {} : { refused }),
    apply: () => {
      model.up = true;
      model.readConfig();
      apply();
    },
  };
}
