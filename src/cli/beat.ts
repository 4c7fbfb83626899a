// `rollcall beat`: hooks and cron call it thousands of times, so it imports nothing but what it needs.
import { parseArgs } from "node:util";
import { type BeatInput, checkAgentId, checkState, checkStatus, cycleNumber } from "../agent/beat-record.ts";
import { givenCycle } from "../agent/cycle-number.ts";
import { AgentError, type AgentErrorCode, sayValue } from "../agent/error.ts";
import { checkNamedHome, expandTilde, homeDir, isHomeNamed, strangeOwner } from "../agent/home.ts";
import { writeBeat } from "../agent/write-beat.ts";
import { incarnationOf } from "../system/proc.ts";

const USAGE = "rollcall beat AGENT [--action TEXT] [--status ok|error] [options]";

const HELP = `Usage: ${USAGE}

Sends one beat of an agent: a sign of life. The beat is written to the disk, so
it counts even if no watcher runs at the moment. Prints nothing.

Options:
  --cycle N         the number of the agent's cycle (default: ROLLCALL_CYCLE,
                    set by rollcall run)
  --action TEXT     what the agent is doing (at most 1,000 characters are kept)
  --status STATUS   ok (the default) or error
  --message TEXT    details, such as the error (at most 10,000 characters are
                    kept)
  --state STATE     the state that the agent reports: working, waiting, limited,
                    idle or done
  --asks TEXT       with --state waiting: the question to a person (at most 500
                    characters are kept)
  --until TIME      until when the state lasts, such as 2026-01-31T08:00:00Z
  --pid PID         the id of the agent's process, so that Rollcall notices a
                    restart
  --home DIR        the folder with Rollcall's files (default: ROLLCALL_HOME or
                    ~/.rollcall)
  --config FILE     has no effect; accepted because every command has it
  --json            print the beat as JSON
  -h, --help        show this help

Example:
  rollcall beat allegro --cycle 7 --action "sync inbox"

Exit codes: 0 the beat is written; 1 it could not be written; 2 wrong usage;
3 the folder that --home or ROLLCALL_HOME names does not exist.
`;

const VALUED = [
  ...(["cycle", "action", "status", "message", "state", "asks"] as const),
  ...(["until", "pid", "home", "config"] as const),
] as const;
type Given = Partial<Record<(typeof VALUED)[number], string>>;

class UsageError extends Error {}

/** What the arguments say. Not parseArgs' strict mode: it refuses values that begin with a dash. */
function read(args: string[]): { agents: string[]; given: Given; json: boolean; help: boolean } {
  const options = Object.fromEntries(VALUED.map((name) => [name, { type: "string" as const }]));
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  const read = { agents: [] as string[], given: {} as Given, json: false, help: false };
  for (const token of tokens) {
    if (token.kind === "positional") read.agents.push(token.value);
    if (token.kind !== "option") continue;
    const valued = VALUED.find((name) => token.rawName === `--${name}`);
    if (valued !== undefined) {
      if (token.value === undefined) throw new UsageError(`${token.rawName} needs a value`);
      read.given[valued] = token.value;
    } else if (token.value !== undefined && /^--(json|help)$/.test(token.rawName)) {
      throw new UsageError(`${token.rawName} takes no value, not ${sayValue(token.value)}`);
    } else if (token.rawName === "--json") read.json = true;
    else if (token.rawName === "--help" || token.rawName === "-h") read.help = true;
    else throw new UsageError(`unknown option ${sayValue(token.rawName)}`);
  }
  return read;
}

/** The life of the agent's own process; nothing where the system does not tell more than that it is there. */
function lifeOf(pid: string): BeatInput["incarnation"] {
  const number = /^[0-9]+$/.test(pid) ? Number(pid) : 0;
  if (number < 1)
    throw new AgentError("bad-pid", `pid: expected a process id such as 4711, not ${sayValue(pid)}`);
  const life = incarnationOf(number);
  if (life === undefined && (incarnationOf(process.pid) !== undefined || !isThere(number)))
    throw new AgentError("bad-pid", `pid: expected a process that runs, not ${sayValue(pid)}`);
  return life;
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function run(args: string[]): void {
  const { agents, given, json, help } = read(args);
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  const [agent, other] = agents;
  if (agent === undefined) throw new UsageError("no agent given");
  if (other !== undefined) throw new UsageError(`expected one agent, not also ${sayValue(other)}`);
  if (given.home === "") throw new UsageError("--home needs a folder");
  const { cycle, action, status, message, state, asks, until, pid, home } = given;
  checkAgentId(agent);
  const isNamed = home !== undefined || isHomeNamed();
  const where = home === undefined ? homeDir() : expandTilde(home);
  if (isNamed) checkNamedHome(where, home === undefined ? "ROLLCALL_HOME" : "--home");
  // Others may have the right to leave beats; root must not write where another user could have put links.
  const refused = process.geteuid?.() === 0 ? strangeOwner(where, isNamed) : undefined;
  if (refused !== undefined) throw new AgentError("unwritable", `${refused.says}; ${refused.todo}`);
  if (asks !== undefined && asks !== "" && state !== "waiting")
    throw new UsageError("--asks is the question of an agent that waits; add --state waiting");
  const beat = writeBeat(
    {
      agent,
      incarnation: pid === undefined ? undefined : lifeOf(pid),
      cycle: cycle === undefined ? givenCycle(agent) : cycleNumber(cycle),
      action,
      status: status === undefined ? undefined : checkStatus(status),
      message,
      state: state === undefined ? undefined : checkState(state),
      asks: asks === undefined || asks === "" ? undefined : { question: asks },
      until,
    },
    where,
  );
  if (json) process.stdout.write(`${JSON.stringify(beat)}\n`);
}

/** Every other error is a mistake in what was given. */
const EXIT_CODES: Partial<Record<AgentErrorCode, number>> = { unwritable: 1, "no-home": 3 };

try {
  run(process.argv.slice(3));
} catch (error) {
  if (error instanceof UsageError) {
    process.stderr.write(`rollcall beat: ${error.message}\nUsage: ${USAGE}\n`);
    process.exitCode = 2;
  } else if (error instanceof AgentError) {
    process.stderr.write(`rollcall beat: ${error.message}\n`);
    process.exitCode = EXIT_CODES[error.code] ?? 2;
  } else throw error;
}
