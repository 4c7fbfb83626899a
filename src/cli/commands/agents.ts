import { Command } from "commander";
import { checkAgentId } from "../../agent/beat-record.ts";
import { given } from "../../core/given.ts";
import { operationsOf } from "../../service/connect.ts";
import type { AgentWithPing } from "../../service/operations.ts";
import { atSocket, ownServer } from "../../system/tmux-servers.ts";
import type { pipeToLog } from "../../tools/pane-log.ts";
import { examples } from "../input/arguments.ts";
import { BAD_USAGE, Failure } from "../output/failure.ts";
import { type CommonOptions, callTheRoll, mustBeOnRoll } from "../output/roll.ts";
import { paintState, plain, say, sayDone, sayJson, sayList } from "../output/terminal.ts";
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
  const agents = new Command("agents")
    .description("list, add, pause and remove agents")
    .addHelpText("after", examples("agents list", "agents add allegro --every 15m"));

  agents
    .command("list")
    .description("list every agent, and when its beats are expected")
    .option("--json", "print JSON: {watcher, agents}")
    .addHelpText("after", examples("agents list"))
    .action(async (options: CommonOptions) => {
      const roll = await callTheRoll(options);
      const none = "No agent yet. Add one: rollcall agents add allegro --every 15m";
      sayList(options.json, roll, roll.agents, none, [
        { title: "AGENT", text: ({ id }) => id, most: 40 },
        { title: "NAME", text: ({ name }) => name ?? "–", most: 30 },
        { title: "STATE", text: ({ state }) => state, paint: ({ state }, text) => paintState(state, text) },
        { title: "FROM", text: ({ origin }) => origin },
        { title: "RULE", text: sayRule },
      ]);
    });

  agents
    .command("add")
    .description("add an agent that is not in the config file")
    .argument("<id>", "a new id for the agent, such as allegro")
    .option("--name <text>", "a display name")
    .option("--every <duration>", "how often the agent beats, such as 15m")
    .option("--schedule <cron>", 'when the agent beats, such as "30 2 * * *"')
    .option("--timezone <zone>", "the time zone of --schedule, such as Europe/Berlin")
    .option("--grace <duration>", "how late a beat may be, such as 5m")
    .option("--tmux <session>", "the tmux session in which the agent runs")
    .option(
      "--tmux-socket <name>",
      "the name of its tmux server, as for tmux -L (default: the server that you are in)",
    )
    .option("--json", "print JSON: {agent, added, log}")
    .option(
      "--pipe [path]",
      "let tmux write the pane's output to this log (default: a log in the home); a log shows more than the screen",
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
        tmux === undefined || rest.pipe === undefined ? undefined : await pipe(common, id, tmux, path);
      const log = piped === undefined ? undefined : { path: piped.path };
      const wish = given({ id, name, every, schedule, timezone, grace, tmux, log });
      await operationsOf(common).addAgent(wish, true).catch(sayAsFlags);
      if (tmux !== undefined) await warnOfNoSession(tmux);
      if (rest.json === true) return sayJson({ agent: id, added: true, log: piped?.path ?? null });
      if (piped?.how === "started") say(`tmux writes the output of its pane to ${piped.path}`);
      if (piped?.how === "already") say("tmux already pipes its pane; that pipe stays as it is");
      say(`added ${id}`);
    });

  agents.addCommand(discoverCommand());

  for (const [kind, done, what] of [
    ["remove", "removed", "remove an agent; its history is kept for the time set in the config"],
    ["pause", "paused", "pause an agent: Rollcall does not judge it and sends no alerts about it"],
    [
      "resume",
      "resumed",
      "watch a paused agent again; unless it was dead, it first gets a full interval plus grace",
    ],
  ] as const) {
    agents
      .command(kind)
      .description(what)
      .argument("<id>", "the id of the agent")
      .option("--json", `print JSON: {agent, ${done}}`)
      .addHelpText("after", examples(`agents ${kind} allegro`))
      .action(async (id: string, { json, ...options }: CommonOptions) => {
        const isNews = kind !== "resume" || (await mustBeOnRoll(options, id)).state === "paused";
        await operationsOf(options)[`${kind}Agent`](id);
        sayDone(json, { agent: id, [done]: isNews }, isNews ? `${done} ${id}` : `${id} was not paused`);
      });
  }
  return agents;
}

const pipe: typeof pipeToLog = async (...asked) =>
  (await import("../../tools/pane-log.ts")).pipeToLog(...asked);

/** The service names the keys of the config; a person typed flags. */
function sayAsFlags(error: unknown): never {
  // Without a watcher it is told as a mistake in a config.
  if (!(error instanceof Error) || !/^bad-(?:agent|config)$/.test(String((error as { code?: unknown }).code)))
    throw error;
  const said = error.message.replace(/^agents add: /, "");
  // The config file itself may have a mistake as well.
  if (said === error.message && "file" in error) throw error;
  throw new Failure(
    said.replaceAll(/(^|; )(name|every|schedule|timezone|grace)(?=: )/g, "$1--$2"),
    BAD_USAGE,
  );
}

/** An agent may be added before its session is there, but a mistyped name would be waited for in vain. */
async function warnOfNoSession({
  session,
  ...server
}: {
  session: string;
  socketPath: string;
}): Promise<void> {
  const { Tmux } = await import("../../system/tmux.ts");
  const found = await new Tmux(server).panes(["-s", "-t", `=${session}:`]);
  if (found.how !== "absent") return;
  const what = found.what === "server" ? "no tmux server runs" : `there is no tmux session "${session}"`;
  process.stderr.write(
    `rollcall: ${plain(what)} at ${server.socketPath} yet; Rollcall reads the pane as soon as it is there\n`,
  );
}

function sayRule({ rule, origin }: AgentWithPing): string {
  if (rule === null && origin === "host") return "none here: judged by its host";
  if (rule === null) return "none: judged by its signals";
  if ("every" in rule) return `every ${rule.every}, grace ${rule.grace}`;
  return `"${rule.schedule}" ${rule.timezone}, grace ${rule.grace}`;
}
