import { Command } from "commander";
import { type ChannelView, channelsOf, tryChannel } from "../../tools/try-channel.ts";
import { Failure } from "../output/failure.ts";
import type { Common } from "../output/roll.ts";
import { plain, say, sayJson, table } from "../output/terminal.ts";

type Json = Common & { readonly json?: true };

export function channelsCommand(): Command {
  const channels = new Command("channels").description("where people are told");

  channels
    .command("list")
    .description("the channels of the config")
    .option("--json", "for programs: {channels}")
    .addHelpText("after", "\nExample:\n  $ rollcall channels list")
    .action(async ({ json, ...where }: Json) => {
      const found = await channelsOf(where);
      if (json === true) return sayJson({ channels: found });
      say(
        table<ChannelView>(found, [
          { title: "CHANNEL", text: ({ name }) => name },
          { title: "KIND", text: ({ kind }) => kind },
        ]),
      );
    });

  channels
    .command("test")
    .description("send a test message through one channel now, and say how it went")
    .argument("<name>")
    .option("--json", "for programs: {channel, outcome, problem, note}")
    .addHelpText(
      "after",
      `
The secrets are read from this shell's environment, which may differ from the daemon's.

Exit codes:
  0  the far side took it      1  it did not      2  there is no such channel

Example:
  $ rollcall channels test team`,
    )
    .action(async (name: string, { json, ...where }: Json) => {
      const receipt = await tryChannel(where, name);
      if (receipt === undefined) {
        const known = (await channelsOf(where)).map((channel) => channel.name).join(", ");
        throw new Failure(`there is no channel "${name}" in the config; there is: ${known}`, 2);
      }
      const note = receipt.outcome === "sent" ? receipt.note : undefined;
      const problem = receipt.outcome === "sent" ? undefined : receipt.problem;
      if (json === true)
        sayJson({ channel: name, outcome: receipt.outcome, problem: problem ?? null, note: note ?? null });
      else if (problem === undefined)
        say(plain(`sent through ${name}${note === undefined ? "" : `: ${note}`}`));
      if (problem === undefined) return;
      if (json === true) process.exitCode = 1;
      else
        throw new Failure(
          `${name}: ${problem}${receipt.outcome === "retry" ? " (may go better later)" : ""}`,
        );
    });
  return channels;
}
