import { once } from "node:events";
import { closeSync, openSync, readSync } from "node:fs";
import { Command } from "commander";
import { countOf, examples } from "../input/arguments.ts";
import { type CommonOptions, mustBeOnRoll } from "../output/roll.ts";
import { pictureOnly, sayJson } from "../output/terminal.ts";

interface Options extends CommonOptions {
  readonly follow?: true;
  readonly lines: number;
}

/** A line of a log is seldom longer than this. */
const PER_LINE = 400;

export function logsCommand(): Command {
  return new Command("logs")
    .description("show the end of an agent's session log or transcript; --follow also shows new lines")
    .argument("<agent>", "the id of the agent")
    .option("-f, --follow", "also show new lines as they are added, until Ctrl-C")
    .option("-n, --lines <count>", "how many lines to show", countOf, 50)
    .option("--json", "print JSON: {agent, path, text}")
    .addHelpText("after", examples("logs allegro --follow", "logs allegro -n 200 | grep error"))
    .action(async (agent: string, options: Options) => {
      await mustBeOnRoll(options, agent);
      const { followFile, logOf } = await import("../../tools/own-traces.ts");
      const { path, size } = await logOf(options, agent);
      const text = lastLines(path, size, options.lines);
      if (options.json === true) return sayJson({ agent, path, text });
      // What an agent wrote is hostile to a terminal. A program that reads from a pipe gets all of it.
      const show = (part: string) =>
        process.stdout.write(process.stdout.isTTY === true ? pictureOnly(part) : part);
      show(text);
      if (options.follow !== true) return;
      // An escape sequence that is only half there would be shown as text: it waits for the end of its line.
      let rest = "";
      followFile(path, size, (bytes) => {
        const whole = rest + bytes.toString("utf8");
        const end = whole.lastIndexOf("\n") + 1;
        rest = whole.slice(end);
        show(whole.slice(0, end));
      });
      await once(process, "SIGINT");
      process.exit(130);
    });
}

function lastLines(path: string, size: number, count: number): string {
  const file = openSync(path, "r");
  try {
    const length = Math.min(size, count * PER_LINE);
    const bytes = Buffer.alloc(length);
    const read = readSync(file, bytes, 0, length, size - length);
    const lines = bytes.toString("utf8", 0, read).split("\n");
    const shown = lines.at(-1) === "" ? lines.slice(-count - 1) : lines.slice(-count);
    return shown.join("\n");
  } finally {
    closeSync(file);
  }
}
