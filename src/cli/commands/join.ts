import { Command } from "commander";
import type { CommonOptions } from "../output/roll.ts";
import { bold, plain, say, sayDone, sayJson } from "../output/terminal.ts";

interface Options extends CommonOptions {
  readonly name?: string;
}

export function joinCommand(): Command {
  return new Command("join")
    .description("let this host report to a hub, with an invitation from `rollcall hosts invite`")
    .argument("<url>", "the URL of the hub, as the invitation shows it")
    .argument("<code>", "the code of the invitation")
    .option(
      "--name <name>",
      "the name of this host on the hub; required if the code was made for ephemeral hosts",
    )
    .option("--json", "print JSON: {host, url}")
    .addHelpText("after", "\nExample:\n  $ rollcall join https://hub.example.org:7766 3fKq0aZt1BvYx7Pd9sLm")
    .action(async (url: string, code: string, { name, json, ...options }: Options) => {
      const { joinHub } = await import("../../tools/join/join.ts");
      const { host, told } = await joinHub({
        ...options,
        url,
        code,
        ...(name === undefined ? {} : { name }),
      });
      if (json === true) return sayJson({ host, url });
      sayDone(undefined, {}, `joined ${plain(url)} as ${bold(plain(host))}`);
      say(told ?? "Start the watcher to report: rollcall up");
    });
}
