import { Command, CommanderError } from "commander";
import { AgentError } from "../agent/error.ts";
import { VERSION } from "../daemon/version.ts";
import { Failure, isForPeople } from "./failure.ts";
import type { Common } from "./roll.ts";
import { plain } from "./terminal.ts";

/** The options that every command takes, before or after its name. */
function withCommon(command: Command): Command {
  for (const inner of command.commands) withCommon(inner as Command);
  return command
    .option("--home <dir>", "where Rollcall keeps its files (default: $ROLLCALL_HOME or ~/.rollcall)")
    .option("--config <file>", "the config file (default: rollcall.yaml in the home)")
    .hook("preAction", (outer, acting) => {
      for (const [name, value] of Object.entries(outer.opts())) {
        if (acting.getOptionValue(name) === undefined) acting.setOptionValue(name, value);
      }
    })
    .exitOverride()
    .showSuggestionAfterError();
}

/** `beat` has a bundle of its own; here it stands for the list of commands and for options before its name. */
function beatCommand(): Command {
  return new Command("beat")
    .description("record a beat of an agent")
    .argument("[args...]")
    .allowUnknownOption()
    .helpOption(false)
    .action(async (args: string[], { home }: Common) => {
      const where = home === undefined ? [] : ["--home", home];
      process.argv.splice(2, Number.POSITIVE_INFINITY, "beat", ...where, ...args);
      await import(new URL("./beat.js", import.meta.url).href);
    });
}

const program = new Command("rollcall")
  .description("Calls the roll of a fleet of agents: who is alive, who is not, and why.")
  .version(VERSION)
  .addHelpText(
    "after",
    `
Examples:
  $ rollcall up                                       watch, in the foreground
  $ rollcall beat allegro --cycle 7 --action "sync"   a sign of life
  $ rollcall status                                   the roll
  $ rollcall check allegro && echo well               one agent, for scripts`,
  );

/** Each command with the code that it needs: only that is loaded, so that a short command stays short. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import("./commands/up.ts")).upCommand(),
  daemon: async () => (await import("./commands/daemon.ts")).daemonCommand(),
  status: async () => (await import("./commands/status.ts")).statusCommand(),
  check: async () => (await import("./commands/check.ts")).checkCommand(),
  explain: async () => (await import("./commands/explain.ts")).explainCommand(),
  peek: async () => (await import("./commands/peek.ts")).peekCommand(),
  beat: async () => beatCommand(),
  run: async () => (await import("./commands/run.ts")).runCommand(),
  note: async () => (await import("./commands/note.ts")).noteCommand(),
  agents: async () => (await import("./commands/agents.ts")).agentsCommand(),
  work: async () => (await import("./commands/work.ts")).workCommand(),
  tick: async () => (await import("./commands/tick.ts")).tickCommand(),
  beats: async () => (await import("./commands/history.ts")).beatsCommand(),
  cycles: async () => (await import("./commands/history.ts")).cyclesCommand(),
  flips: async () => (await import("./commands/history.ts")).flipsCommand(),
  recoveries: async () => (await import("./commands/history.ts")).recoveriesCommand(),
  incidents: async () => (await import("./commands/incidents.ts")).incidentsCommand(),
  actions: async () => (await import("./commands/actions.ts")).actionsCommand(),
  channels: async () => (await import("./commands/channels.ts")).channelsCommand(),
  deliveries: async () => (await import("./commands/deliveries.ts")).deliveriesCommand(),
  silence: async () => (await import("./commands/silence.ts")).silenceCommand(),
  token: async () => (await import("./commands/token.ts")).tokenCommand(),
  mcp: async () => (await import("./commands/mcp.ts")).mcpCommand(),
  config: async () => (await import("./commands/config.ts")).configCommand(),
  doctor: async () => (await import("./commands/doctor.ts")).doctorCommand(),
  install: async () => (await import("./commands/install.ts")).installCommand(),
  uninstall: async () => (await import("./commands/install.ts")).uninstallCommand(),
};

// Whatever is named is loaded; if nothing is (help, a mistake), everything is, to be listed and suggested.
const words = process.argv.slice(2);
const named = words.filter((word) => Object.hasOwn(COMMANDS, word));
const all = named.length > 0 || words[0] === "--version" ? named : Object.keys(COMMANDS);
for (const name of new Set(all)) {
  const command = await COMMANDS[name]?.();
  if (command !== undefined) program.addCommand(command);
}
withCommon(program);

/** `rollcall check` cannot use 1 and 2 for its own failures: they say how the agent is. */
const CANNOT_TELL = 3;

function fail(error: unknown): number {
  const checking = process.argv[2] === "check";
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    return checking ? CANNOT_TELL : 2;
  }
  if (isForPeople(error)) {
    for (const line of error.message.split("\n")) process.stderr.write(`rollcall: ${plain(line)}\n`);
    if (checking) return CANNOT_TELL;
    if (error instanceof AgentError && error.code !== "unwritable") return 2;
    return error instanceof Failure ? error.exitCode : 1;
  }
  process.stderr.write(
    `rollcall: this should not have happened\n${error instanceof Error ? error.stack : error}\n`,
  );
  return checking ? CANNOT_TELL : 70;
}

// A reader that went away (`rollcall status | head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  // What still hangs on (a timer of a person's own module) must not keep a command alive that has failed.
  process.exit(fail(error));
}
