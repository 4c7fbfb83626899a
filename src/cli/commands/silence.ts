import { randomBytes } from "node:crypto";
import { Command } from "commander";
import { parseDuration } from "../../core/duration.ts";
import { addSilence, endSilence, type SilenceView, silencesOf } from "../../daemon/records.ts";
import { Failure } from "../failure.ts";
import type { Common } from "../roll.ts";
import { say, sayJson, table } from "../terminal.ts";
import { userName } from "./incidents.ts";

interface AddOptions extends Common {
  readonly agent: string;
  readonly for: string;
  readonly why: string;
  readonly by: string;
}

export function silenceCommand(): Command {
  const silence = new Command("silence").description(
    "withhold messages about agents for a while; states go on",
  );

  silence
    .command("add")
    .description("withhold messages; what is still true at the end is told then")
    .requiredOption("--agent <pattern>", "an agent, or a pattern with *")
    .requiredOption("--for <duration>", "how long, such as 2h")
    .option("--why <text>", "the reason, for the others", "")
    .option("--by <name>", "who you are", userName())
    .addHelpText(
      "after",
      "\nExample:\n  $ rollcall silence add --agent 'build-*' --for 2h --why 'upgrading the host'",
    )
    .action(async ({ agent, why, by, ...options }: AddOptions) => {
      const length = parseDuration(options.for);
      if (length === undefined)
        throw new Failure(`--for: expected a duration such as 2h, not "${options.for}"`, 2);
      const id = `s-${randomBytes(4).toString("hex")}`;
      const made = await addSilence(options, { id, agents: agent, why, by, for: options.for, length });
      say(`silenced ${agent} until ${made.until} (${made.id})`);
    });

  silence
    .command("list")
    .description("the silences that have not ended")
    .option("--json", "for programs: {silences}")
    .addHelpText("after", "\nExample:\n  $ rollcall silence list")
    .action(async ({ json, ...where }: Common & { json?: true }) => {
      const silences = await silencesOf(where);
      if (json === true) return sayJson({ silences });
      if (silences.length === 0) return say("Nobody is silenced.");
      say(
        table<SilenceView>(silences, [
          { title: "ID", text: ({ id }) => id },
          { title: "AGENTS", text: ({ agents }) => agents, most: 40 },
          { title: "UNTIL", text: ({ until }) => until },
          { title: "BY", text: ({ by }) => by, most: 20 },
          { title: "WHY", text: ({ why }) => why },
        ]),
      );
    });

  silence
    .command("end")
    .description("end a silence now")
    .argument("<id>")
    .addHelpText("after", "\nExample:\n  $ rollcall silence end s-1f3c99aa")
    .action(async (id: string, where: Common) => {
      await endSilence(where, id);
      say(`ended ${id}`);
    });
  return silence;
}
