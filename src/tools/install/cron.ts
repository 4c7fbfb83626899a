import { homedir } from "node:os";
import { homeAt } from "../../home/home.ts";
import { InstallError } from "../../home/install-error.ts";
import { checkProgram, lastingCommand, lastingPath, thisProgram } from "../../home/program.ts";
import { cronLine } from "./cron-line.ts";
import { cronSchedule } from "./cron-schedule.ts";
import {
  type BlockName,
  blocksIn,
  blocksWithKeptLines,
  editCrontab,
  readCrontab,
  withBlock,
  withoutBlock,
} from "./crontab.ts";
import { type InstallOptions, type InstallOutcome, namedConfig, namedHome, namedListen } from "./outcome.ts";

/** One cycle of an agent, woken by cron through `rollcall run`. */
export interface AgentWake {
  readonly agent: string;
  readonly schedule: string;
  /** As people write it, such as 10m. */
  readonly timeout?: string | undefined;
  readonly command: readonly string[];
}

export interface CronOptions extends InstallOptions {
  /** What is called instead of `crontab`. */
  readonly crontab?: string | undefined;
}

const NOTE = "# Written by `rollcall install cron`; `rollcall uninstall cron` removes it.";

/** The lines of a block: a wake of an agent, or the line that brings back a dead daemon. */
export function cronLines(options: CronOptions, wake?: AgentWake): string[] {
  const line = lineFor(options, wake?.schedule ?? "* * * * *", (configured, path) =>
    wake === undefined ? ensureArguments(options, configured) : runArguments(wake, configured, path),
  );
  return crontabBytes([NOTE, line]);
}

/** A line that runs this program, with everything that it needs to be told outside of this shell. */
export function lineFor(
  options: CronOptions,
  schedule: string,
  args: (configured: readonly string[], path: string) => readonly string[],
): string {
  const { program = thisProgram(), env = process.env } = options;
  checkProgram(program);
  const path = lastingPath(env.PATH, program);
  const home = namedHome(options);
  const config = namedConfig(options);
  return cronLine({
    schedule: cronSchedule(schedule),
    variables: {
      PATH: path,
      HOME: env.HOME || homedir(),
      ...(home === undefined ? {} : { ROLLCALL_HOME: home }),
    },
    command: [program.node, program.script, ...args(config === undefined ? [] : ["--config", config], path)],
  });
}

/** The bytes of UTF-8, one character each, as a crontab is held in memory. */
export function crontabBytes(lines: readonly string[]): string[] {
  return lines.map((text) => Buffer.from(text, "utf8").toString("latin1"));
}

function ensureArguments(options: CronOptions, configured: readonly string[]): string[] {
  const listen = namedListen(options);
  return ["daemon", "ensure", ...configured, ...(listen === undefined ? [] : ["--listen", listen])];
}

function runArguments(
  { agent, timeout, command }: AgentWake,
  configured: readonly string[],
  path: string,
): string[] {
  const limit = timeout === undefined ? [] : ["--timeout", timeout];
  return ["run", agent, ...limit, ...configured, "--", ...lastingCommand(command, path)];
}

/** Puts the block into the user's crontab. Done twice, the second time changes nothing. */
export function installCron(options: CronOptions, wake?: AgentWake): InstallOutcome {
  return installBlock(options, blockName(wake?.agent), cronLines(options, wake));
}

export function installBlock(
  options: CronOptions,
  name: BlockName,
  lines: readonly string[],
): InstallOutcome {
  const changed = edit(options, (crontab) => withBlock(crontab, name, lines));
  const there = `${what(name)} ${name === "ticks" ? "are" : "is"} in the crontab`;
  return { changed, said: [changed ? there : `${there} already: nothing to do`] };
}

/** Takes a block out of the user's crontab. */
export function uninstallCron(options: CronOptions, agent?: string): InstallOutcome {
  return uninstallBlock(options, blockName(agent));
}

export function uninstallBlock(options: CronOptions, name: BlockName): InstallOutcome {
  const { changed, gone, left } = remove(options, (block) => block === name);
  const many = `${left.join(", ")} (rollcall uninstall cron --all removes all)`;
  return {
    changed,
    said: [
      ...(changed
        ? gone
        : [`${what(name)} ${name === "ticks" ? "are" : "is"} not in the crontab: nothing to do`]),
      ...(left.length === 0 ? [] : [`still there: ${many}`]),
    ],
  };
}

/** Takes everything out of the user's crontab that Rollcall wrote there. */
export function uninstallAllCron(options: CronOptions): InstallOutcome {
  const nothing = { changed: false, said: ["Rollcall has no line in the crontab: nothing to do"] };
  try {
    const { changed, gone } = remove(options, () => true);
    return changed ? { changed, said: gone } : nothing;
  } catch (error) {
    if (error instanceof InstallError && error.code === "no-cron") return nothing;
    throw error;
  }
}

function remove(options: CronOptions, isMeant: (block: string) => boolean) {
  const before = readCrontab(options.crontab ?? "crontab");
  const names = new Set(blocksIn(before).filter(isMeant));
  const kept = blocksWithKeptLines(before);
  const changed = edit(options, (crontab) => [...names].reduce(withoutBlock, crontab));
  return {
    changed,
    gone: [...names].map((name) => saidOfRemoved(name, kept.includes(name))),
    left: blocksIn(readCrontab(options.crontab ?? "crontab")),
  };
}

function saidOfRemoved(block: string, isPutBack: boolean): string {
  const removed = `removed ${what(block)} from the crontab`;
  if (!isPutBack) return removed;
  const agent = /^agent (.+)$/.exec(block)?.[1];
  const hint =
    agent === undefined
      ? ""
      : `; take ${agent} out of the config too, or Rollcall reports that it does not run`;
  return `${removed}, and put your own ${block === "ticks" ? "lines" : "line"} back${hint}`;
}

function edit({ crontab = "crontab", home }: CronOptions, change: (text: string) => string): boolean {
  return editCrontab({ crontab, folder: homeAt(home).path, edit: change });
}

function blockName(agent: string | undefined): BlockName {
  return agent === undefined ? "daemon" : `agent ${agent}`;
}

function what(name: string): string {
  if (name === "ticks") return "the lines for the monthly ticks";
  return name === "daemon" ? "the line that restarts the daemon" : `the line that wakes ${name}`;
}
