import { Command, Option } from "commander";
import { loadConfig } from "../../config/load.ts";
import { isAgentId } from "../../core/agent.ts";
import { AGENT_ID_FORM } from "../../core/beat-input.ts";
import { parseDuration } from "../../core/duration.ts";
import { homeAt } from "../../home/home.ts";
import {
  type AgentWake,
  cronLines,
  installCron,
  uninstallAllCron,
  uninstallCron,
} from "../../tools/install/cron.ts";
import type { InstallOutcome } from "../../tools/install/outcome.ts";
import { installSystemd, systemdUnit, uninstallSystemd } from "../../tools/install/systemd.ts";
import { installTicks, type TicksOptions, tickLines, uninstallTicks } from "../../tools/install/ticks.ts";
import { examples } from "../input/arguments.ts";
import { Failure } from "../output/failure.ts";
import type { CommonOptions } from "../output/roll.ts";
import { plain, say, sayJson } from "../output/terminal.ts";

interface SystemdFlags extends CommonOptions {
  readonly listen?: string;
  readonly user?: true;
  readonly system?: true;
  readonly template?: true;
  readonly print?: true;
  readonly unitDir?: string;
  readonly systemctl?: string;
}

interface CronFlags extends CommonOptions {
  readonly agent?: string;
  readonly listen?: string;
  readonly schedule?: string;
  readonly timeout?: string;
  readonly print?: true;
  readonly crontab?: string;
}

const JSON_OPTION = ["--json", "print JSON: {changed, said}"] as const;
const LISTEN = ["--listen <address>", "where the watcher listens, such as 127.0.0.1:7766"] as const;

export function installCommand(): Command {
  const install = new Command("install")
    .description("let systemd or cron run the watcher, or let cron start agents")
    .addHelpText("after", examples("install systemd", "install cron"));
  systemdCommand(install)
    .description("install a service that starts with the machine and restarts when it crashes or hangs")
    .option(...LISTEN)
    .option("--print", "show the unit and write nothing (with --json: {changed, said, text})")
    .addHelpText("after", examples("install systemd --user", "install systemd --print"))
    .action(async (flags: SystemdFlags) => {
      const { daemon } = await loadConfig(homeAt(flags.home).path, flags.config);
      const options = { ...flags, scope: scopeOf(flags), watchdogMs: daemon.watchdogInterval };
      if (flags.print === true) show(systemdUnit(options), flags);
      else tell(installSystemd(options), flags);
    });
  cronCommand(install)
    .description("install a crontab line that keeps the watcher running, or a line that wakes an agent")
    .argument("[command...]", "the command that wakes the agent, after --")
    .option("--schedule <cron>", 'when to wake the agent, such as "*/15 * * * *" or @hourly')
    .option("--timeout <duration>", "end a cycle that takes longer than this, such as 10m")
    .option(...LISTEN)
    .option("--print", "show the lines and write nothing (with --json: {changed, said, text})")
    .addHelpText(
      "after",
      `
Examples:
  $ rollcall install cron
  $ rollcall install cron --agent allegro --schedule @hourly -- allegro.sh`,
    )
    .action((command: string[], flags: CronFlags) => {
      const wake = wakeOf(command, flags);
      if (flags.print === true) show(textOf(cronLines(flags, wake)), flags);
      else tell(installCron(flags, wake), flags);
    });
  crontabOption(install.command("ticks"))
    .description("install crontab lines that submit monthly ticks on the 1st and check them on the 4th")
    .addOption(new Option("--only <what>", "install only one of the two lines").choices(["submit", "check"]))
    .option(
      "--registry <file>",
      "the JSON file that lists the agents which submit ticks",
      "config/agent-registry.json",
    )
    .option("--ticks <dir>", "the folder with the ticks", "ticks")
    .option("--print", "show the lines and write nothing (with --json: {changed, said, text})")
    .addHelpText("after", examples("install ticks", "install ticks --only submit --print"))
    .action((flags: TicksOptions & CommonOptions & { print?: true }) => {
      if (flags.print === true) show(textOf(tickLines(flags)), flags);
      else tell(installTicks(flags), flags);
    });
  return install;
}

export function uninstallCommand(): Command {
  const uninstall = new Command("uninstall")
    .description("remove what install wrote; agents keep running")
    .addHelpText("after", examples("uninstall systemd"));
  systemdCommand(uninstall)
    .description("stop and remove the service")
    .addHelpText("after", examples("uninstall systemd --user"))
    .action((flags: SystemdFlags) => tell(uninstallSystemd({ ...flags, scope: scopeOf(flags) }), flags));
  cronCommand(uninstall)
    .description("remove the crontab line of the watcher, or of an agent, and put your own line back")
    .addOption(new Option("--all", "everything that Rollcall wrote into the crontab").conflicts("agent"))
    .addHelpText("after", examples("uninstall cron --agent allegro", "uninstall cron --all"))
    .action((flags: CronFlags & { all?: true }) =>
      tell(flags.all === true ? uninstallAllCron(flags) : uninstallCron(flags, agentOf(flags)), flags),
    );
  crontabOption(uninstall.command("ticks"))
    .description("remove the crontab lines of the monthly ticks")
    .addHelpText("after", examples("uninstall ticks"))
    .action((flags: CronFlags) => tell(uninstallTicks(flags), flags));
  return uninstall;
}

function systemdCommand(parent: Command): Command {
  return parent
    .command("systemd")
    .addOption(new Option("--user", "a service of your own systemd (the default, unless you are root)"))
    .addOption(
      new Option("--system", "a service of the machine, run as root (the default for root)").conflicts(
        "user",
      ),
    )
    .addOption(
      new Option("--template", "a service of the machine, run as any user: rollcall@NAME").conflicts([
        "user",
        "system",
      ]),
    )
    .option(...JSON_OPTION)
    .addOption(new Option("--unit-dir <dir>", "where the unit is written").hideHelp())
    .addOption(new Option("--systemctl <program>", "what is called for systemctl").hideHelp());
}

function cronCommand(parent: Command): Command {
  return crontabOption(parent.command("cron")).option(
    "--agent <id>",
    "the line that wakes this agent, not the line for the watcher",
  );
}

function crontabOption(command: Command): Command {
  return command
    .option(...JSON_OPTION)
    .addOption(new Option("--crontab <program>", "what is called for crontab").hideHelp());
}

function scopeOf({ user, system, template }: SystemdFlags): "user" | "system" | "template" | undefined {
  if (template === true) return "template";
  if (system === true) return "system";
  return user === true ? "user" : undefined;
}

function wakeOf(command: readonly string[], flags: CronFlags): AgentWake | undefined {
  const { schedule, timeout, listen } = flags;
  const agent = agentOf(flags);
  if (agent === undefined) {
    if (command.length === 0 && schedule === undefined && timeout === undefined) return undefined;
    throw new Failure("--schedule, --timeout and a command need --agent ID", 2);
  }
  if (listen !== undefined) throw new Failure("--listen is for the watcher's own line, not for --agent", 2);
  if (schedule === undefined) throw new Failure('a wake needs --schedule, such as "*/15 * * * *"', 2);
  if (command.length === 0) throw new Failure("--agent needs a command after --", 2);
  if (timeout !== undefined && parseDuration(timeout) === undefined) {
    throw new Failure(`--timeout: expected a duration such as 10m, not ${JSON.stringify(timeout)}`, 2);
  }
  return { agent, schedule, timeout, command };
}

function agentOf({ agent }: CronFlags): string | undefined {
  if (agent === undefined || isAgentId(agent)) return agent;
  throw new Failure(`--agent: expected ${AGENT_ID_FORM}, not ${JSON.stringify(agent)}`, 2);
}

/** Lines of a crontab as text: there, each character is one byte. */
function textOf(lines: readonly string[]): string {
  return Buffer.from(`${lines.join("\n")}\n`, "latin1").toString("utf8");
}

function show(text: string, { json }: CommonOptions): void {
  if (json === true) sayJson({ changed: false, said: [], text });
  else process.stdout.write(text);
}

function tell({ changed, said }: InstallOutcome, { json }: CommonOptions): void {
  if (json === true) return sayJson({ changed, said: said.map(plain) });
  for (const line of said) say(plain(line));
}
