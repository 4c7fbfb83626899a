import { Command } from "commander";
import { checkAgentId } from "../../agent/beat-record.ts";
import { given } from "../../core/given.ts";
import { operationsOf } from "../../service/connect.ts";
import { atSocket, ownServer } from "../../system/tmux-servers.ts";
import { pipeToLog } from "../../tools/pane-log.ts";
import { examples } from "../input/arguments.ts";
import { Failure } from "../output/failure.ts";
import { type CommonOptions, callTheRoll } from "../output/roll.ts";
import { paintState, say, sayDone, sayJson, sayList } from "../output/terminal.ts";
import { discoverCommand } from "./discover.ts";

interface AddOptions extends CommonOptions {
  readonly name?: string;
  readonly every?: string;
  readonly schedule?: string;
  readonly timezone?: string;
  readonly grace?: string;
  readonly tmux?: string;
  readonly tmuxSocket?: string;
  readonly pipe?: true | string;
}

export function agentsCommand(): Command {
  const agents = new Command("agents").description("list, add, pause and remove agents");

  agents
    .command("list")
    .description("list every agent with its rule")
    .option("--json", "for programs: {watcher, agents}")
    .addHelpText("after", examples("agents list"))
    .action(async (options: CommonOptions) => {
      const roll = await callTheRoll(options);
      const none = "No agent yet. Add one: rollcall agents add allegro --every 15m";
      sayList(options.json, roll, roll.agents, none, [
        { title: "AGENT", text: ({ id }) => id, most: 40 },
        { title: "NAME", text: ({ name }) => name ?? "–", most: 30 },
        { title: "STATE", text: ({ state }) => state, paint: ({ state }, text) => paintState(state, text) },
        { title: "FROM", text: ({ origin }) => origin },
        { title: "RULE", text: ({ rule }) => sayRule(rule) },
      ]);
    });

  agents
    .command("add")
    .description("add an agent that no config file declares")
    .argument("<id>")
    .option("--name <text>", "its name for people")
    .option("--every <duration>", "how often it beats, such as 15m")
    .option("--schedule <cron>", 'when it beats, such as "30 2 * * *"')
    .option("--timezone <zone>", "of the schedule, such as Europe/Berlin")
    .option("--grace <duration>", "how late a beat may be, such as 5m")
    .option("--tmux <session>", "the tmux session in which it runs")
    .option(
      "--tmux-socket <name>",
      "the tmux server of that session, as for tmux -L (default: the one that you are in)",
    )
    .option("--json", "for programs: {agent, added, log}")
    .option(
      "--pipe [path]",
      "have tmux write the output of its pane to a log (default: one in the home), which shows more than the screen",
    )
    .addHelpText(
      "after",
      examples(
        "agents add allegro --every 15m --grace 5m",
        "agents add builder --tmux builder --pipe",
        "agents add builder --tmux builder --pipe '~/logs/{agent}.log'",
      ),
    )
    .action(async (id: string, { home, config, ...rest }: AddOptions) => {
      const { name, every, schedule, timezone, grace } = rest;
      const common = given({ home, config });
      if (rest.tmux === undefined && (rest.pipe !== undefined || rest.tmuxSocket !== undefined)) {
        throw new Failure("--pipe and --tmux-socket need --tmux SESSION", 2);
      }
      checkAgentId(id);
      const server = rest.tmuxSocket === undefined ? ownServer(process.env) : { socket: rest.tmuxSocket };
      const tmux =
        rest.tmux === undefined ? undefined : atSocket({ session: rest.tmux, ...server }, process.env);
      const path = rest.pipe === true ? undefined : rest.pipe;
      const piped =
        tmux === undefined || rest.pipe === undefined ? undefined : await pipeToLog(common, id, tmux, path);
      const log = piped === undefined ? undefined : { path: piped.path };
      const wish = given({ id, name, every, schedule, timezone, grace, tmux, log });
      await operationsOf(common).addAgent(wish, true);
      if (rest.json === true) return sayJson({ agent: id, added: true, log: piped?.path ?? null });
      if (piped?.how === "started") say(`tmux writes the output of its pane to ${piped.path}`);
      if (piped?.how === "already") say("its pane already had a pipe, which stays");
      say(`added ${id}`);
    });

  agents.addCommand(discoverCommand());

  for (const [kind, done, what] of [
    ["remove", "removed", "remove an agent; its history is kept as long as the config says"],
    ["pause", "paused", "pause an agent: no state is judged and no alert is sent"],
    ["resume", "resumed", "watch a paused agent again; it gets a full grace period first"],
  ] as const) {
    agents
      .command(kind)
      .description(what)
      .argument("<id>")
      .option("--json", `for programs: {agent, ${done}}`)
      .addHelpText("after", examples(`agents ${kind} allegro`))
      .action(async (id: string, { json, ...options }: CommonOptions) => {
        await operationsOf(options)[`${kind}Agent`](id);
        sayDone(json, { agent: id, [done]: true }, `${done} ${id}`);
      });
  }
  return agents;
}

function sayRule(
  rule: { every: string; grace: string } | { schedule: string; timezone: string; grace: string } | null,
): string {
  if (rule === null) return "none: judged by its signals";
  if ("every" in rule) return `every ${rule.every}, grace ${rule.grace}`;
  return `"${rule.schedule}" ${rule.timezone}, grace ${rule.grace}`;
}
