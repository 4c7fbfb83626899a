import { Command } from "commander";
import { channelsOf, tryChannel, whyUnused } from "../../tools/try-channel.ts";
import { examples } from "../input/arguments.ts";
import { Failure } from "../output/failure.ts";
import type { CommonOptions } from "../output/roll.ts";
import { plain, say, sayJson, sayList } from "../output/terminal.ts";

export function channelsCommand(): Command {
  const channels = new Command("channels")
    .description("list and test the channels to which alerts are sent")
    .addHelpText("after", examples("channels list", "channels test team"));

  channels
    .command("list")
    .description("list the channels of the config")
    .option("--json", "print JSON: {channels}")
    .addHelpText("after", examples("channels list"))
    .action(async ({ json, ...where }: CommonOptions) => {
      const found = await channelsOf(where);
      sayList(json, { channels: found }, found, "", [
        { title: "CHANNEL", text: ({ name }) => name },
        { title: "KIND", text: ({ kind }) => kind },
      ]);
    });

  channels
    .command("test")
    .description("send a test message through one channel now")
    .argument("<name>", "the name of the channel in the config")
    .option("--json", "print JSON: {channel, outcome, problem, note}")
    .addHelpText(
      "after",
      `
The secrets are read from this shell's environment, which may differ from the
watcher's.

Exit codes:
  0  the message was accepted   1  it was not   2  there is no such channel

Example:
  $ rollcall channels test team`,
    )
    .action(async (name: string, { json, ...where }: CommonOptions) => {
      const receipt = await tryChannel(where, name);
      if (receipt === undefined) {
        const known = (await channelsOf(where)).map((channel) => channel.name).join(", ");
        throw new Failure(`there is no channel "${name}" in the config; it has: ${known}`, 2);
      }
      const unused = await whyUnused(where);
      if (unused !== undefined)
        process.stderr.write(`rollcall: warning: alerts may not arrive here: ${plain(unused)}\n`);
      const { outcome, note = null, problem = null } = { note: undefined, problem: undefined, ...receipt };
      if (json === true) {
        sayJson({ channel: name, outcome, problem, note });
        if (problem !== null) process.exitCode = 1;
      } else if (problem === null) say(plain(`sent through ${name}${note === null ? "" : `: ${note}`}`));
      else
        throw new Failure(
          `${name}: ${problem}${outcome === "retry" ? " (a later attempt may succeed)" : ""}`,
        );
    });
  return channels;
}
