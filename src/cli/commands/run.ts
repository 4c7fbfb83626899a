import { Command } from "commander";
import type { CycleState } from "../../agent/journal.ts";
import { ConfigError } from "../../config/config-error.ts";
import { type Config, defaultConfig, loadConfig } from "../../config/load.ts";
import { type Millis, SECOND, sayAgo, sayDuration } from "../../core/duration.ts";
import { homeAt, prepareHome } from "../../home/home.ts";
import { run } from "../../tools/run/run.ts";
import { CycleRunningError } from "../../tools/run/wake.ts";
import { lengthOf } from "../input/arguments.ts";
import { Failure } from "../output/failure.ts";
import type { CommonOptions } from "../output/roll.ts";
import { plain } from "../output/terminal.ts";

/** EX_TEMPFAIL: try again later. */
const STILL_RUNNING = 75;

interface Options extends CommonOptions {
  readonly timeout?: Millis;
  readonly killAfter?: Millis;
}

export function runCommand(): Command {
  return new Command("run")
    .description("run a command as one cycle (wake, work, sleep) of an agent, for example from cron")
    .argument("<agent>", "the id of the agent")
    .argument("<command...>", "the command and its arguments, after --")
    .option(
      "--timeout <duration>",
      "stop the command, and all processes that it started, after this long",
      lengthOf,
    )
    .option(
      "--kill-after <duration>",
      "how long after SIGTERM to send SIGKILL, if the command still runs (default: 10s)",
      lengthOf,
    )
    .addHelpText(
      "after",
      `
While a cycle runs, a second one is refused (exit code 75). If the last cycle
began and never ended, it is recorded as crashed. These environment variables
are set for the command:
  ROLLCALL_CYCLE       the number of this cycle
  ROLLCALL_RECOVERING  1 if the last cycle crashed
  ROLLCALL_LAST_CYCLE  the path of a JSON file with the last cycle's state and
                       notes (see: rollcall note)
The command's output goes to logs/<agent>.log in the home and to the terminal.
The exit code is the command's own, or 124 after a time-out.

If this command is killed together with what it runs, the watcher reports the
crash at its next look, and so does the next run.

Example:
  $ rollcall run allegro --timeout 10m -- ./allegro.sh --once`,
    )
    .action(async (agent: string, command: [string, ...string[]], options: Options) => {
      const home = homeAt(options.home);
      const config = await configFor(home.path, options.config);
      prepareHome(home);
      try {
        process.exitCode = await run({
          agent,
          command,
          home: home.path,
          config,
          ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
          ...(options.killAfter === undefined ? {} : { killGrace: options.killAfter }),
          onUnstarted: (why) => process.stderr.write(`rollcall: ${plain(why)}\n`),
          onTimedOut: (limit) => process.stderr.write(`rollcall: ${sayTimedOut(agent, limit)}\n`),
          onCrashed: (crashed, cycle) => process.stderr.write(`rollcall: ${sayCrash(crashed, cycle)}\n`),
          show: (bytes) => process.stdout.write(bytes),
        });
      } catch (error) {
        if (error instanceof CycleRunningError) throw new Failure(error.message, STILL_RUNNING);
        throw error;
      }
    });
}

/** The config says only how often to beat: a mistake in it must not keep an agent from being woken. */
async function configFor(home: string, named: string | undefined): Promise<Config> {
  try {
    return await loadConfig(home, named);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`rollcall: ${plain(error.message)}; the command runs all the same\n`);
    return defaultConfig();
  }
}

function sayTimedOut(agent: string, limit: Millis): string {
  const length = limit < SECOND ? `${limit} ms` : sayDuration(limit);
  return `ended the command of ${agent} after ${length} (--timeout)`;
}

function sayCrash({ agent, cycle, lastAction, lastAt }: CycleState, next: number): string {
  const action = lastAction === undefined ? "" : `, last action "${plain(lastAction)}"`;
  const ago = sayAgo(Date.now() - Date.parse(lastAt));
  return `cycle ${cycle} of ${agent} crashed${action}, last heard ${ago}; recovering in cycle ${next}`;
}
