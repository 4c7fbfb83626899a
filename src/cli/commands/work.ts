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
  const work = new Command("work").description(
    "record work that is under way; work whose session is gone is an orphan",
  );

  work
    .command("start")
    .description("record work as under way, and print its id")
    .argument("<agent>")
    .argument("<what...>", "in a few words")
    .option("--json", "for programs: the whole record")
    .addHelpText("after", "\nExample:\n  $ id=$(rollcall work start allegro review pull request 7)")
    .action((agent: string, what: string[], options: Options) => {
      const started = startWork(agent, what.join(" "), homeAt(options.home).path);
      if (options.json === true) sayJson(started);
      else say(started.id);
    });

  work
    .command("update")
    .description("record that work goes on")
    .argument("<id>")
    .option("--note <text>", "how far it is")
    .addHelpText("after", examples("work update 3f2a9c01d4e5 --note 'half way'"))
    .action((id: string, options: Options) => {
      updateWork(id, options.note, homeAt(options.home).path);
    });

  work
    .command("done")
    .description("record that work is finished")
    .argument("<id>")
    .addHelpText("after", examples("work done 3f2a9c01d4e5"))
    .action((id: string, options: Options) => {
      finishWork(id, homeAt(options.home).path);
    });

  work
    .command("list")
    .description("list all work that is under way")
    .option("--agent <id>", "only of this one")
    .option("--json", "for programs: {work}")
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
