import { Command } from "commander";
import { changeFleet } from "../../daemon/fleet.ts";
import { type Common, callTheRoll } from "../roll.ts";
import { paintState, say, sayJson, table } from "../terminal.ts";

interface AddOptions extends Common {
  readonly name?: string;
  readonly every?: string;
  readonly schedule?: string;
  readonly timezone?: string;
  readonly grace?: string;
}

export function agentsCommand(): Command {
  const agents = new Command("agents").description("who belongs to the fleet");

  agents
    .command("list")
    .description("every agent and its rule")
    .option("--json", "for programs: {watcher, agents}")
    .addHelpText("after", "\nExample:\n  $ rollcall agents list")
    .action(async (options: Common & { json?: true }) => {
      const roll = await callTheRoll(options);
      if (options.json === true) return sayJson(roll);
      if (roll.agents.length === 0)
        return say("No agent yet. Add one: rollcall agents add allegro --every 15m");
      say(
        table(roll.agents, [
          { title: "AGENT", text: ({ id }) => id, most: 40 },
          { title: "NAME", text: ({ name }) => name ?? "–", most: 30 },
          { title: "STATE", text: ({ state }) => state, paint: ({ state }, text) => paintState(state, text) },
          { title: "FROM", text: ({ origin }) => origin },
          { title: "RULE", text: ({ rule }) => sayRule(rule) },
        ]),
      );
    });

  agents
    .command("add")
    .description("add an agent that no config file declares")
    .argument("<id>")
    .option("--name <text>", "what people call it")
    .option("--every <duration>", "how often it promises to beat, such as 15m")
    .option("--schedule <cron>", 'when it promises to beat, such as "30 2 * * *"')
    .option("--timezone <zone>", "of the schedule, such as Europe/Berlin")
    .option("--grace <duration>", "how much later still counts as alive")
    .addHelpText("after", "\nExample:\n  $ rollcall agents add allegro --every 15m --grace 5m")
    .action(async (id: string, { home, config, ...rest }: AddOptions) => {
      const { name, every, schedule, timezone, grace } = rest;
      const wish = Object.fromEntries(
        Object.entries({ id, name, every, schedule, timezone, grace }).filter(
          ([, value]) => value !== undefined,
        ),
      );
      await changeFleet(commonOf(home, config), { kind: "add", agent: wish });
      say(`added ${id}`);
    });

  for (const [kind, done, what] of [
    ["remove", "removed", "take an agent off the roll; its history stays until it is too old"],
    ["pause", "paused", "stop judging an agent"],
    ["resume", "resumed", "judge an agent again; it gets its chance first"],
  ] as const) {
    agents
      .command(kind)
      .description(what)
      .argument("<id>")
      .addHelpText("after", `\nExample:\n  $ rollcall agents ${kind} allegro`)
      .action(async (id: string, options: Common) => {
        await changeFleet(options, { kind, id });
        say(`${done} ${id}`);
      });
  }
  return agents;
}

function commonOf(home: string | undefined, config: string | undefined): Common {
  return { ...(home === undefined ? {} : { home }), ...(config === undefined ? {} : { config }) };
}

function sayRule(
  rule: { every: string; grace: string } | { schedule: string; timezone: string; grace: string } | null,
): string {
  if (rule === null) return "none: judged by its traces";
  if ("every" in rule) return `every ${rule.every}, grace ${rule.grace}`;
  return `"${rule.schedule}" ${rule.timezone}, grace ${rule.grace}`;
}
