import { Command } from "commander";
import { parseDuration, sayDuration } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import { matches } from "../../core/incident/policy.ts";
import { nearest } from "../../core/nearest.ts";
import { operationsOf } from "../../service/connect.ts";
import type { SilenceView } from "../../views/show.ts";
import { examples, userName } from "../input/arguments.ts";
import { Failure, NOT_THERE } from "../output/failure.ts";
import { type CommonOptions, callTheRoll, mustBeOnRoll } from "../output/roll.ts";
import { clock, plain, sayDone, sayList, timeColumn } from "../output/terminal.ts";

interface AddOptions extends CommonOptions {
  readonly agent?: string;
  readonly group?: string;
  readonly for: string;
  readonly why: string;
  readonly by: string;
}

export function silenceCommand(): Command {
  const silence = new Command("silence")
    .description("mute alerts about agents for a while")
    .addHelpText("after", examples("silence add --agent 'build-*' --for 2h", "silence list"));

  silence
    .command("add")
    .description(
      "mute alerts for a time; alerts about agents still in trouble are sent when the time is over",
    )
    .usage("--for 2h (--agent ID | --group NAME) [options]")
    .option("--agent <pattern>", "the id of an agent, or a pattern with * for several")
    .option("--group <name>", "mute the agents of this group")
    .requiredOption("--for <duration>", "how long, such as 2h")
    .option("--why <text>", "the reason, shown to other people", "")
    .option("--json", "print JSON: {silence}")
    .option("--by <name>", "who you are", userName())
    .addHelpText(
      "after",
      examples(
        "silence add --agent 'build-*' --for 2h --why 'upgrading the host'",
        "silence add --group bots --for 9h",
      ),
    )
    .action(async ({ agent, group, why, by, json, ...options }: AddOptions) => {
      const length = parseDuration(options.for);
      if (length === undefined)
        throw new Failure(`--for: expected a duration such as 2h, not "${options.for}"`, 2);
      if (agent === undefined && group === undefined)
        throw new Failure("expected --agent PATTERN or --group NAME", 2);
      if (agent?.includes("*") === false) await mustBeOnRoll(options, agent);
      if (group !== undefined) await mustBeGroup(options, group);
      const whom = given({ agents: agent ?? "*", group });
      const made = await operationsOf(options).addSilence({ ...whom, why, by, for: options.for });
      const until = `${clock(made.until)}, ${sayDuration(length)} from now`;
      sayDone(json, { silence: made }, `muted ${saySilenced(made)} until ${until} (${made.id})`);
      await warnIfNobody(options, agent, group);
    });

  silence
    .command("list")
    .description("list the mutes that have not ended")
    .option("--json", "print JSON: {silences}")
    .addHelpText("after", examples("silence list"))
    .action(async ({ json, ...where }: CommonOptions) => {
      const silences = await operationsOf(where).silences();
      sayList(json, { silences }, silences, "No agent is muted.", [
        { title: "ID", text: ({ id }) => id },
        { title: "AGENTS", text: saySilenced, most: 40 },
        timeColumn("UNTIL", ({ until }) => until),
        { title: "BY", text: ({ by }) => by, most: 20 },
        { title: "WHY", text: ({ why }) => why },
      ]);
    });

  silence
    .command("end")
    .description("end a mute now")
    .argument("<id>", "the id of the mute, or the agent, pattern or group that it mutes")
    .option("--json", "print JSON: {silence, ended}")
    .addHelpText("after", examples("silence end 'build-*'", "silence end s-1f3c99aa"))
    .action(async (named: string, { json, ...where }: CommonOptions) => {
      const operations = operationsOf(where);
      const id = muteNamed(named, await operations.silences());
      await operations.endSilence(id);
      sayDone(json, { silence: id, ended: true }, `ended ${id}`);
    });
  return silence;
}

/** The id of the mute that people name by its id, or by those whom it mutes. */
function muteNamed(named: string, silences: readonly SilenceView[]): string {
  if (silences.some(({ id }) => id === named)) return named;
  const [first, ...others] = silences.filter(
    ({ agents, group }) => (group === undefined || agents !== "*" ? agents : group) === named,
  );
  if (others.length === 0) return first?.id ?? named;
  const ids = [first, ...others].map((each) => each?.id).join(", ");
  throw new Failure(`several mutes are of "${named}"; name one by its id: ${ids}`);
}

/** A pattern may be meant for agents that are still to come, so it is no mistake. */
async function warnIfNobody(options: CommonOptions, pattern = "*", group?: string): Promise<void> {
  if (!pattern.includes("*")) return;
  const { agents } = await callTheRoll(options, undefined, given({ group }));
  if (agents.some(({ id }) => matches(pattern, id))) return;
  process.stderr.write(`rollcall: no agent on the roll matches ${plain(pattern)} yet\n`);
}

async function mustBeGroup(options: CommonOptions, group: string): Promise<void> {
  const groups = [...new Set((await callTheRoll(options)).agents.map((agent) => agent.group))].sort();
  if (groups.includes(group)) return;
  const near = nearest(group, groups);
  const meant = near === undefined ? `there are: ${groups.join(", ")}` : `did you mean "${near}"?`;
  throw new Failure(`no agent is in the group "${group}"; ${meant}`, NOT_THERE);
}

function saySilenced({ agents, group }: { readonly agents: string; readonly group?: string }): string {
  if (group === undefined) return agents;
  return agents === "*" ? `group ${group}` : `${agents} of group ${group}`;
}
