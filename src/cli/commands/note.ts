import { Command } from "commander";
import { checkAgentId } from "../../agent/beat-record.ts";
import { writeNote } from "../../agent/journal.ts";
import { homeAt } from "../../home/home.ts";
import { Failure } from "../output/failure.ts";
import type { Common } from "../output/roll.ts";

export function noteCommand(): Command {
  return new Command("note")
    .description("write something down for the next cycle, in case this one does not end")
    .argument("<key=value...>")
    .option("--agent <id>", "whose cycle (default: $ROLLCALL_AGENT, which rollcall run sets)")
    .addHelpText("after", "\nExample:\n  $ rollcall note inbox=42 step=upload")
    .action((pairs: string[], options: Common & { agent?: string }) => {
      const agent = options.agent ?? process.env.ROLLCALL_AGENT;
      if (agent === undefined)
        throw new Failure("whose cycle? name it with --agent, or call this under rollcall run", 2);
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
