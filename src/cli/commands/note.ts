import { Command } from "commander";
import { checkAgentId } from "../../agent/beat-record.ts";
import { writeNote } from "../../agent/journal.ts";
import { homeAt } from "../../home/home.ts";
import { examples } from "../input/arguments.ts";
import { Failure } from "../output/failure.ts";
import type { CommonOptions } from "../output/roll.ts";

export function noteCommand(): Command {
  return new Command("note")
    .description("save a note that the agent's next cycle can read, for example after a crash")
    .argument("<key=value...>", "one or more notes, such as inbox=42")
    .option("--agent <id>", "the agent of the cycle (default: $ROLLCALL_AGENT, which rollcall run sets)")
    .addHelpText("after", examples("note inbox=42 step=upload"))
    .action((pairs: string[], options: CommonOptions & { agent?: string }) => {
      const agent = options.agent ?? process.env.ROLLCALL_AGENT;
      if (agent === undefined)
        throw new Failure("no agent is named; use --agent ID, or call this under rollcall run", 2);
      checkAgentId(agent);
      const split = pairs.map((pair) => /^([^=]+)=(.*)$/s.exec(pair));
      const wrong = pairs.find((_, i) => split[i] === null);
      if (wrong !== undefined) throw new Failure(`expected key=value, not "${wrong}"`, 2);
      const home = homeAt(options.home).path;
      for (const [, key = "", value = ""] of split.filter((found) => found !== null)) {
        writeNote(agent, home, key, value);
      }
    });
}
