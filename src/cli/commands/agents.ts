import { Command } from "commander";
import { checkAgentId } from "../../agent/beat-record.ts";
import { operationsOf } from "../../service/connect.ts";
import { atSocket } from "../../system/tmux-servers.ts";
import { pipeToLog } from "../../tools/pane-log.ts";
import { Failure } from "../output/failure.ts";
import { type Common, callTheRoll } from "../output/roll.ts";
import { paintState, say, sayDone, sayJson, table } from "../output/terminal.ts";
import { discoverCommand } from "./discover.ts";

interface AddOptions extends Common {
  readonly name?: string;
  readonly every?: string;
  readonly schedule?: string;
  readonly timezone?: string;
  readonly grace?: string;
  readonly tmux?: string;
  readonly tmuxSocket?: string;
  readonly pipe?: true | string;
  readonly json?: true;
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
    .option("--tmux <session>", "the tmux session in which it works")
    .option("--tmux-socket <name>", "the tmux server of that session, as for tmux -L")
    .option("--json", "for programs: {agent, added, log}")
    .option(
      "--pipe [path]",
      "let tmux write its pane to a log (default: one in the home), which tells more than the screen alone",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  $ rollcall agents add allegro --every 15m --grace 5m\n  $ rollcall agents add builder --tmux builder --pipe\n  $ rollcall agents add builder --tmux builder --pipe '~/logs/{agent}.log'",
    )
    .action(async (id: string, { home, config, ...rest }: AddOptions) => {
      const { name, every, schedule, timezone, grace } = rest;
      const common = commonOf(home, config);
      if (rest.tmux === undefined && (rest.pipe !== undefined || rest.tmuxSocket !== undefined)) {
        throw new Failure("whose pane? name its session with --tmux", 2);
      }
      checkAgentId(id);
      const socket = rest.tmuxSocket === undefined ? {} : { socket: rest.tmuxSocket };
      const pane = rest.tmux === undefined ? undefined : { session: rest.tmux, ...socket };
      const tmux = pane && atSocket(pane, process.env);
      const path = rest.pipe === true ? undefined : rest.pipe;
      const piped =
        tmux === undefined || rest.pipe === undefined ? undefined : await pipeToLog(common, id, tmux, path);
      const log = piped === undefined ? undefined : { path: piped.path };
      const wish = Object.fromEntries(
        Object.entries({ id, name, every, schedule, timezone, grace, tmux, log }).filter(
          ([, value]) => value !== undefined,
        ),
      );
      await operationsOf(common).addAgent(wish, true);
      if (rest.json === true) return sayJson({ agent: id, added: true, log: piped?.path ?? null });
      if (piped !== undefined) {
        say(
          piped.how === "started"
            ? `its pane is piped to ${piped.path}`
            : "its pane was piped already, and stays so",
        );
      }
      say(`added ${id}`);
    });

  agents.addCommand(discoverCommand());

  for (const [kind, done, what] of [
    ["remove", "removed", "take an agent off the roll; its history stays until it is too old"],
    ["pause", "paused", "stop judging an agent"],
    ["resume", "resumed", "judge an agent again; it gets its chance first"],
  ] as const) {
    agents
      .command(kind)
      .description(what)
      .argument("<id>")
      .option("--json", `for programs: {agent, ${done}}`)
      .addHelpText("after", `\nExample:\n  $ rollcall agents ${kind} allegro`)
      .action(async (id: string, { json, ...options }: Common & { json?: true }) => {
        await operationsOf(options)[`${kind}Agent`](id);
        sayDone(json, { agent: id, [done]: true }, `${done} ${id}`);
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
