import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { SECOND } from "../../core/duration.ts";
import { operationsOf } from "../../service/connect.ts";
import { examples } from "../input/arguments.ts";
import { type CommonOptions, mustBeOnRoll } from "../output/roll.ts";
import { pictureOnly, plain, sayJson } from "../output/terminal.ts";
import { whileWaiting } from "../output/waiting.ts";

interface Options extends CommonOptions {
  readonly raw?: true;
  readonly follow?: true;
}

export function peekCommand(): Command {
  return new Command("peek")
    .description("show the screen of an agent, from its tmux pane or session log")
    .argument("<agent>", "the id of the agent")
    .option(
      "--raw",
      "write the original bytes to a pipe or file; on a terminal, only text, colours and cursor moves",
    )
    .option("--json", "print JSON: {agent, how, text}")
    .option("--follow", "show the screen again every second")
    .addHelpText("after", examples("peek allegro --follow"))
    .action(async (agent: string, options: Options) => {
      const operations = operationsOf(options);
      const how = options.raw === true ? "raw" : "screen";
      do {
        const shown = await whileWaiting(
          `waiting for the screen of ${plain(agent)}`,
          operations.peek(agent, how),
        ).catch(async (error: unknown) => {
          await mustBeOnRoll(options, agent);
          throw error;
        });
        if (options.json === true) {
          sayJson({ agent, how, text: shown });
          if (options.follow === true) await sleep(SECOND);
          continue;
        }
        if (options.follow === true && process.stdout.isTTY === true && options.raw !== true) {
          process.stdout.write("\x1b[H\x1b[2J");
        }
        // What an agent wrote is hostile to a terminal. A program that reads raw bytes from a pipe gets all of them.
        const raw = () => (process.stdout.isTTY === true ? pictureOnly(shown) : shown);
        const text = options.raw === true ? raw() : shown.split("\n").map(plain).join("\n").trimEnd();
        process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
        if (options.follow === true) await sleep(SECOND);
      } while (options.follow === true);
    });
}
