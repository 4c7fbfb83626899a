import { Command } from "commander";
import { exitCodeOf } from "../../core/liveness/state.ts";
import { NoSuchAgentError } from "../output/failure.ts";
import { type CommonOptions, callTheRoll, tellTroubles } from "../output/roll.ts";
import { onThisClock, paintState, plain, say, sayJson } from "../output/terminal.ts";

export function checkCommand(): Command {
  return new Command("check")
    .description("show one agent in one line, with an exit code for scripts; works without a running watcher")
    .argument("<agent>", "the id of the agent")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Exit codes:
  0  alive, resting, paused      2  stalled, failing, dead
  1  late, waiting, limited      3  new, unknown, or no such agent

Example:
  $ rollcall check allegro || mail -s "allegro is not well" me`,
    )
    .action(async (agent: string, options: CommonOptions) => {
      const roll = await callTheRoll(options, agent);
      const [found] = roll.agents;
      tellTroubles(roll);
      if (found === undefined) throw new NoSuchAgentError(agent);
      if (options.json === true)
        sayJson({ ...found, ...(roll.configError && { configError: roll.configError }) });
      else say(`${found.id}: ${paintState(found.state)}: ${onThisClock(plain(found.why), Date.now())}`);
      process.exitCode = exitCodeOf(found.state);
    });
}
