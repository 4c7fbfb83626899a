import { existsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { Command, type CommanderError, InvalidArgumentError } from "commander";
import { expandTilde } from "../agent/home.ts";
import { given } from "../core/given.ts";
import { nearest } from "../core/nearest.ts";
import { namesIn } from "../system/files.ts";
import { VERSION } from "../system/version.ts";
import { exitCodeFor, Failure, isForPeople, NOT_THERE } from "./output/failure.ts";
import type { CommonOptions } from "./output/roll.ts";
import { plain } from "./output/terminal.ts";

/** The options that every command takes, before or after its name. */
function withCommon(command: Command): Command {
  for (const inner of command.commands) withCommon(inner as Command);
  return command
    .option(
      "--home <dir>",
      "the folder with Rollcall's files, called its home (default: $ROLLCALL_HOME or ~/.rollcall)",
      filled("a folder"),
    )
    .option("--config <file>", "the config file (default: rollcall.yaml in the home)", filled("a file"))
    .hook("preAction", (outer, acting) => {
      for (const [name, value] of Object.entries(outer.opts())) {
        if (acting.getOptionValue(name) === undefined) acting.setOptionValue(name, value);
      }
    })
    .exitOverride()
    .showSuggestionAfterError();
}

/** An empty word comes from a variable that is not set; it would mean the current folder. */
function filled(what: string): (value: string) => string {
  return (value) => {
    if (value === "") throw new InvalidArgumentError(`Expected ${what}, not nothing.`);
    return value;
  };
}

/** `beat` has a bundle of its own; here it stands for the list of commands and for options before its name. */
function beatCommand(): Command {
  return new Command("beat")
    .description("send a beat (a sign of life) of an agent")
    .argument("[args...]")
    .allowUnknownOption()
    .helpOption(false)
    .action(async (args: string[], { home }: CommonOptions) => {
      const where = home === undefined ? [] : ["--home", home];
      process.argv.splice(2, Number.POSITIVE_INFINITY, "beat", ...where, ...args);
      await import("./beat.ts");
    });
}

const program = new Command("rollcall")
  .description("Watches a fleet of agents: shows which are alive, which are not, and why.")
  .version(VERSION)
  .commandsGroup("Settings and data:")
  .addHelpText(
    "after",
    `
Examples:
  $ rollcall init                              find your agents, and watch them
  $ rollcall status                            show every agent with its state
  $ rollcall open                              open the dashboard in a browser
  $ rollcall beat allegro --action "sync"      send a beat, a sign of life
  $ rollcall check allegro && echo well        check one agent in a script`,
  );

/** Each command with the code that it needs: only that is loaded, so that a short command stays short. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import("./commands/init.ts")).initCommand(),
  up: async () => (await import("./commands/up.ts")).upCommand(),
  daemon: async () => (await import("./commands/daemon.ts")).daemonCommand(),
  open: async () => (await import("./commands/open.ts")).openCommand(),
  demo: async () => (await import("./commands/demo.ts")).demoCommand(),
  connect: async () => (await import("./commands/connect.ts")).connectCommand(),
  disconnect: async () => (await import("./commands/connect.ts")).disconnectCommand(),
  install: async () => (await import("./commands/install.ts")).installCommand(),
  uninstall: async () => (await import("./commands/install.ts")).uninstallCommand(),
  status: async () => (await import("./commands/status.ts")).statusCommand(),
  top: async () => (await import("./commands/top.ts")).topCommand(),
  explain: async () => (await import("./commands/explain.ts")).explainCommand(),
  peek: async () => (await import("./commands/peek.ts")).peekCommand(),
  logs: async () => (await import("./commands/logs.ts")).logsCommand(),
  attach: async () => (await import("./commands/attach.ts")).attachCommand(),
  usage: async () => (await import("./commands/usage.ts")).usageCommand(),
  check: async () => (await import("./commands/check.ts")).checkCommand(),
  wait: async () => (await import("./commands/wait.ts")).waitCommand(),
  answer: async () => (await import("./commands/answer.ts")).answerCommand(),
  nudge: async () => (await import("./commands/steps.ts")).nudgeCommand(),
  restart: async () => (await import("./commands/steps.ts")).restartCommand(),
  wake: async () => (await import("./commands/steps.ts")).wakeCommand(),
  silence: async () => (await import("./commands/silence.ts")).silenceCommand(),
  incidents: async () => (await import("./commands/incidents.ts")).incidentsCommand(),
  agents: async () => (await import("./commands/agents.ts")).agentsCommand(),
  beat: async () => beatCommand(),
  run: async () => (await import("./commands/run.ts")).runCommand(),
  note: async () => (await import("./commands/note.ts")).noteCommand(),
  work: async () => (await import("./commands/work.ts")).workCommand(),
  tick: async () => (await import("./commands/tick.ts")).tickCommand(),
  mcp: async () => (await import("./commands/mcp.ts")).mcpCommand(),
  beats: async () => (await import("./commands/history.ts")).beatsCommand(),
  cycles: async () => (await import("./commands/history.ts")).cyclesCommand(),
  flips: async () => (await import("./commands/history.ts")).flipsCommand(),
  recoveries: async () => (await import("./commands/history.ts")).recoveriesCommand(),
  deliveries: async () => (await import("./commands/deliveries.ts")).deliveriesCommand(),
  channels: async () => (await import("./commands/channels.ts")).channelsCommand(),
  actions: async () => (await import("./commands/actions.ts")).actionsCommand(),
  hosts: async () => (await import("./commands/hosts.ts")).hostsCommand(),
  join: async () => (await import("./commands/join.ts")).joinCommand(),
  leave: async () => (await import("./commands/leave.ts")).leaveCommand(),
  hubs: async () => (await import("./commands/hubs.ts")).hubsCommand(),
  config: async () => (await import("./commands/config.ts")).configCommand(),
  doctor: async () => (await import("./commands/doctor.ts")).doctorCommand(),
  token: async () => (await import("./commands/token.ts")).tokenCommand(),
  import: async () => (await import("./commands/import.ts")).importCommand(),
  backup: async () => (await import("./commands/backup.ts")).backupCommand(),
  restore: async () => (await import("./commands/backup.ts")).restoreCommand(),
  store: async () => (await import("./commands/store.ts")).storeCommand(),
  completions: async () => (await import("./commands/completions.ts")).completionsCommand(),
};

/** The help lists the commands in these groups. */
const GROUPS: Readonly<Record<string, string>> = {
  "Begin:": "init up daemon open demo connect disconnect install uninstall",
  "See what your agents do:": "status top explain peek logs attach usage check wait",
  "Act on an agent:": "answer nudge restart wake silence incidents agents",
  "For agents and scripts:": "beat run note work tick mcp",
  "History and alerts:": "beats cycles flips recoveries deliveries channels actions",
  "Several hosts:": "hosts join leave hubs",
  "Settings and data:": "config doctor token import backup restore store completions",
};

function groupOf(name: string): string {
  return Object.keys(GROUPS).find((group) => GROUPS[group]?.split(" ").includes(name)) ?? "";
}

/** Commands that make a home where there is none, or do not need one. */
const NEEDS_NO_HOME = new Set([
  ..."up init demo join beat tick mcp doctor restore store install uninstall import".split(" "),
  ...["connect", "disconnect"],
  ...["config schema", "daemon start", "daemon restart", "daemon ensure"],
  ...["agents add", "agents discover", "token create"],
]);

/** `doctor` tells of a home that is refused; `beat` looks for itself; the others do not read one. */
const USES_NO_HOME = new Set(["doctor", "demo", "beat", "schema", "store", "install", "uninstall"]);

/** What a person may have meant who named an agent that is not on the roll. */
async function meantAgent(message: string): Promise<string> {
  const id = /no agent "([^"]*)"$/.exec(message)?.[1];
  if (id === undefined) return "";
  try {
    const { callTheRoll } = await import("./output/roll.ts");
    const named = (flag: string) => {
      const found = process.argv.indexOf(flag);
      return found < 0 ? undefined : process.argv[found + 1];
    };
    const where = given({ home: named("--home"), config: named("--config") });
    // For an agent of a config that is not in force yet, this throws the same sentence and what to do.
    const said = await callTheRoll(where, id).then(() => "", String);
    if (said.includes(message)) return said.slice(said.indexOf(message) + message.length);
    const { agents } = await callTheRoll(where);
    const near = nearest(
      id,
      agents.map((agent) => agent.id),
    );
    return near === undefined ? "" : `; did you mean "${near}"?`;
  } catch {
    return "";
  }
}

/** `rollcall check` cannot use 1 and 2 for its own failures: they say how the agent is. */
const CANNOT_TELL = 3;

/** Most commands are in bundles of their own, each with a class of its own. */
function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith("commander.");
}

/** The name of the command. An option before it may have a value that looks like one: `--home check`. */
function namedCommand(): string | undefined {
  const takesValue = (word: string | undefined) => word === "--home" || word === "--config";
  return process.argv.find(
    (word, at) => at > 1 && !word.startsWith("-") && !takesValue(process.argv[at - 1]),
  );
}

async function fail(error: unknown): Promise<number> {
  const checking = namedCommand() === "check";
  if (isCommanderError(error)) {
    if (error.exitCode === 0) return 0;
    return checking ? CANNOT_TELL : 2;
  }
  if (isForPeople(error)) {
    const isMissing = (error as { code?: string }).code === "no-such-agent";
    const message = `${error.message}${isMissing ? await meantAgent(error.message) : ""}`;
    for (const line of message.split("\n")) process.stderr.write(`rollcall: ${plain(line)}\n`);
    if (checking) return CANNOT_TELL;
    return exitCodeFor(error);
  }
  process.stderr.write(
    `rollcall: internal error; please report it:\n${error instanceof Error ? error.stack : error}\n`,
  );
  return checking ? CANNOT_TELL : 70;
}

/** What the list of commands says, from a file that the build made: to load every command takes three times as long. */
async function listed(): Promise<boolean> {
  const { commandsKept, helpOfKept } = await import("./output/kept-list.ts");
  const kept = commandsKept();
  if (kept === undefined) return false;
  for (const { name } of kept) program.addCommand(new Command(name).helpGroup(groupOf(name)));
  program.configureHelp(helpOfKept(kept));
  return true;
}

/** Loads the commands that are named and runs the one that is meant. */
async function run(): Promise<void> {
  // Whatever is named is loaded; if nothing is (help, a mistake), everything is, to be listed and suggested.
  const words = process.argv.slice(2);
  if (words[0] === "__complete") {
    const { complete } = await import("./complete.ts");
    return complete(words.slice(1), Object.keys(COMMANDS), async (name) => COMMANDS[name]?.());
  }
  // A mistake too if an agent bears the name of a command: `expalin work`.
  const isMistake = words[0]?.startsWith("-") === false && !Object.hasOwn(COMMANDS, words[0]);
  const named = isMistake ? [] : words.filter((word) => Object.hasOwn(COMMANDS, word));
  const all = named.length > 0 || words[0] === "--version" ? named : Object.keys(COMMANDS);
  const isHelp = words[0] === undefined || words[0] === "--help" || words[0] === "-h";
  if (named.length > 0 || !isHelp || !(await listed())) {
    for (const name of new Set(all)) {
      const command = await COMMANDS[name]?.();
      if (command !== undefined) program.addCommand(command.helpGroup(groupOf(name)));
    }
  }
  withCommon(program);
  if (words[0] === "__list") {
    const { listOf } = await import("./output/kept-list.ts");
    process.stdout.write(JSON.stringify(listOf(program)));
    return;
  }
  if (words[0] === "__man") {
    const { manualPage } = await import("./man.ts");
    process.stdout.write(manualPage(program, VERSION));
    return;
  }

  // `rollcall incidents` alone lists: where no word follows a group that has a list, it is meant.
  const at = process.argv.findIndex((word, index) => index > 1 && Object.hasOwn(COMMANDS, word));
  const group = program.commands.find((command) => command.name() === process.argv[at]);
  const subcommands = group?.commands.map((command) => command.name()) ?? [];
  const rest = process.argv.slice(at + 1);
  const isAlone = rest[0] === undefined || (rest[0].startsWith("-") && !/^(-h|--help)$/.test(rest[0]));
  if (subcommands.includes("list") && isAlone && !rest.some((word) => subcommands.includes(word)))
    process.argv.splice(at + 1, 0, "list");

  // Every other command refuses a home that another user could have filled.
  program.hook("preAction", async (_, acting) => {
    if ([acting.name(), acting.parent?.name()].some((name) => USES_NO_HOME.has(name ?? ""))) return;
    const { checkHome, homeAt } = await import("../home/home.ts");
    const home = homeAt(acting.opts<CommonOptions>().home);
    // A file would look like a home without agents.
    if (existsSync(home.path) && !statSync(home.path).isDirectory())
      throw new Failure(`the home "${home.path}" is not a folder; name one: --home DIR`, NOT_THERE);
    checkHome(home);
  });

  // A home that was named and is not there is a typing error: an empty roll would hide it.
  program.hook("preAction", (_, acting) => {
    const { home: option } = acting.opts<CommonOptions>();
    const home = option ?? process.env.ROLLCALL_HOME;
    const [outer = "", inner = ""] = [acting.parent?.name(), acting.name()];
    const name = outer === "rollcall" ? inner : `${outer} ${inner}`;
    if (home === undefined || home === "" || NEEDS_NO_HOME.has(name) || NEEDS_NO_HOME.has(outer)) return;
    const path = resolve(expandTilde(home));
    if (existsSync(path)) return;
    const near = nearest(basename(path), namesIn(dirname(path)));
    const right =
      near === undefined
        ? "; `rollcall init` makes a new one there"
        : `; did you mean "${resolve(dirname(path), near)}"?`;
    const from = option === undefined ? "ROLLCALL_HOME" : "--home";
    throw new Failure(`${from}: there is no folder "${path}"${right}`, NOT_THERE);
  });

  await program.parseAsync();
}

// A reader that went away (`rollcall status | head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  const why = error.code === "ENOSPC" ? "no space left on the device" : error.message;
  process.stderr.write(`rollcall: cannot write the output: ${why}\n`);
  process.exit(1);
});

// What still hangs on (a timer of a person's own module) must not keep a command alive that has failed.
export const ended = run().catch(async (error) => process.exit(await fail(error)));
