import { given } from "../../core/given.ts";
import { cronProblem } from "../../core/schedule/cron.ts";
import { argumentsOf, type CrontabText, type Job, nameOf, readCrontabText } from "./crontab-lines.ts";
import { type CronWake, ImportError, type Imported, Names, type OldLine } from "./imported.ts";

interface Options {
  readonly file: string;
  /** The time zone of this machine, which cron's schedules are in. */
  readonly zone: string;
  /** Whether a user stands before each command, as in /etc/cron.d. */
  readonly hasUser: boolean;
  /** Who imports. Jobs of other users have homes of their own. */
  readonly user: string;
}

/** Every job becomes an agent that cron wakes through `rollcall run`. */
export function importCrontab(text: string, options: Options): Imported {
  const crontab = readCrontabText(text, options.hasUser);
  refuseOther(crontab, options);
  const names = new Names();
  const agents: object[] = [];
  const wakes: CronWake[] = [];
  const canGo: OldLine[] = [];
  const problems: (readonly [line: number, problem: string])[] = crontab.unreadable.map((line) => [
    line,
    "this is neither a job nor a variable; expected five fields and a command",
  ]);
  for (const job of crontab.jobs) {
    const problem = problemOf(job, options);
    if (problem !== undefined) {
      problems.push([job.line, problem]);
      continue;
    }
    const id = names.idFor(nameOf(job.command));
    agents.push({ id, ...promiseOf(job, options.zone), process: { journal: true } });
    wakes.push(wakeOf(id, job));
    canGo.push({ line: job.line, text: crontab.lines[job.line] ?? "" });
  }
  const notCarried = problems
    .toSorted(([a], [b]) => a - b)
    .map(([line, problem]) => `line ${line + 1}: ${problem}`);
  const zones = new Set(crontab.jobs.flatMap(({ variables }) => variables.CRON_TZ || []));
  const todo = [
    ...[...zones].map(
      (zone) =>
        `schedules in the zone CRON_TZ=${zone}: cronie obeys this variable, but Debian's cron ignores it; if yours is Debian's, change their timezone to ${options.zone}`,
    ),
    ...(crontab.ours === 0 ? [] : [`jobs in Rollcall's own blocks, which stay as they are: ${crontab.ours}`]),
  ];
  return { config: { agents }, wakes, canGo, notCarried, todo };
}

/** What a job promises: its schedule. A job at boot promises nothing; its process is watched. */
export function promiseOf(job: Job, zone: string): { schedule?: string; timezone?: string } {
  return job.schedule === "@reboot" ? {} : { schedule: job.schedule, timezone: zoneOf(job, zone) };
}

export function wakeOf(agent: string, job: Job): CronWake {
  const { schedule, user, line } = job;
  const args = ["run", agent, "--", ...argumentsOf(job)];
  return given({ block: `agent ${agent}`, schedule, user, args, environment: "as before", replaces: line });
}

/** Why a job cannot be woken through Rollcall; undefined if it can. */
export function problemOf(job: Job, { zone, user }: Pick<Options, "zone" | "user">): string | undefined {
  if (job.user !== undefined && job.user !== user)
    return `this is a job of ${job.user}, with a Rollcall home of its own; import it as ${job.user}`;
  if (job.hasInput) return "its command reads the text after %; put both into a script";
  if (job.schedule === "@reboot") return undefined;
  const problem = cronProblem(job.schedule, zoneOf(job, zone));
  return problem === undefined ? undefined : `the schedule "${job.schedule}": ${problem}`;
}

/** Some crons read CRON_TZ, and Debian's does not: the remarks say so. */
function zoneOf({ variables }: Job, zone: string): string {
  return variables.CRON_TZ || zone;
}

function refuseOther({ jobs, unreadable, lines, ours }: CrontabText, { file, hasUser }: Options): void {
  const form = hasUser ? "*/15 * * * * root /srv/job.sh" : "*/15 * * * * /srv/job.sh";
  if (jobs.length === 0 && ours === 0) {
    const [first] = unreadable;
    const found =
      first === undefined
        ? "it has no job"
        : `line ${first + 1} is ${JSON.stringify(lines[first]?.slice(0, 60))}`;
    throw new ImportError(`${file} is not a crontab: ${found}; expected lines such as "${form}"`);
  }
  if (!hasUser && jobs.length > 0 && jobs.every(({ command }) => /^root\s/.test(command)))
    throw new ImportError(`${file} names a user before each command, as /etc/cron.d does; add --system`);
}
