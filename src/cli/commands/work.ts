import { Command } from "commander";
import { finishWork, listWork, startWork, updateWork } from "../../agent/work.ts";
import { sayAgo } from "../../core/duration.ts";
import { homeAt } from "../../home/home.ts";
import { examples } from "../input/arguments.ts";
import { type CommonOptions, mustBeOnRoll } from "../output/roll.ts";
import { say, sayJson, sayList } from "../output/terminal.ts";

interface Options extends CommonOptions {
  readonly agent?: string;
  readonly note?: string;
}

export function workCommand(): Command {
  const work = new Command("work")
    .description("record what an agent is working on")
    .addHelpText("after", examples("work start allegro review pull request 7", "work list"));

  work
    .command("start")
    .description("record that an agent started some work, and print the id of the work")
    .argument("<agent>", "the id of the agent")
    .argument("<what...>", "what the work is, in a few words")
    .option("--json", "print JSON: the whole record")
    .addHelpText("after", "\nExample:\n  $ id=$(rollcall work start allegro review pull request 7)")
    .action((agent: string, what: string[], options: Options) => {
      const started = startWork(agent, what.join(" "), homeAt(options.home).path);
      if (options.json === true) sayJson(started);
      else say(started.id);
    });

  work
    .command("update")
    .description("record that the work continues")
    .argument("<id>", "the id of the work, as work start prints it")
    .option("--note <text>", "how far the work is")
    .addHelpText("after", examples("work update 3f2a9c01d4e5 --note 'half way'"))
    .action((id: string, options: Options) => {
      updateWork(id, options.note, homeAt(options.home).path);
    });

  work
    .command("done")
    .description("record that the work is finished")
    .argument("<id>", "the id of the work, as work start prints it")
    .addHelpText("after", examples("work done 3f2a9c01d4e5"))
    .action((id: string, options: Options) => {
      finishWork(id, homeAt(options.home).path);
    });

  work
    .command("list")
    .description("list all work that is under way")
    .option("--agent <id>", "list only the work of this agent")
    .option("--json", "print JSON: {work}")
    .addHelpText("after", examples("work list --agent allegro"))
    .action(async (options: Options) => {
      const list = listWork(homeAt(options.home).path, options.agent);
      if (options.agent !== undefined && list.length === 0) await mustBeOnRoll(options, options.agent);
      const ago = (time: string) => sayAgo(Date.now() - Date.parse(time));
      sayList(options.json, { work: list }, list, "No work is recorded as under way.", [
        { title: "ID", text: ({ id }) => id },
        { title: "AGENT", text: ({ agent }) => agent },
        { title: "STARTED", text: ({ startedAt }) => ago(startedAt) },
        { title: "UPDATED", text: ({ updatedAt }) => ago(updatedAt) },
        { title: "WHAT", text: ({ what, note }) => (note === undefined ? what : `${what} (${note})`) },
      ]);
    });

  return work;
}
