import { posix } from "node:path";
import { isAgentId } from "../../core/agent.ts";
import { formatDuration, HOUR, MINUTE, SECOND } from "../../core/duration.ts";
import { problemOf, promiseOf, wakeOf } from "./crontab.ts";
import { argumentsOf, type Job, jobsNaming, readCrontabText } from "./crontab-lines.ts";
import { type CronWake, ImportError, type Imported, Names } from "./imported.ts";

export interface OldDaemon {
  /** The script, or the folder that holds it: absolute. */
  readonly path: string;
  /** The scripts that were found there; the one that was named, or all of a folder. */
  readonly scripts: readonly { readonly path: string; readonly text: string }[];
  /** The crontab of this user. */
  readonly crontab: string;
  readonly zone: string;
  readonly user: string;
  /** What `~` and `$HOME` stand for in the crontab. */
  readonly home: string;
}

const WATCHES = /check|monitor|watch|alert|verify/i;

/** The daemon goes on, woken by cron through `rollcall run`, which beats for it. */
export function importHeartbeatDaemon(old: OldDaemon): Imported {
  const crontab = readCrontabText(old.crontab);
  const jobs = jobsNaming(crontab.jobs, old.path, old.home);
  const script = mainScript(old, jobs);
  if (script === undefined && jobs.length === 0)
    throw new ImportError(
      `${old.path} contains no script, and no crontab line names it; expected the folder or the script of a heartbeat daemon`,
    );
  const text = script?.text ?? "";
  const id = new Names().idFor(agentIn(text) ?? folderName(script?.path ?? posix.join(old.path, "x")));
  const notCarried: string[] = [];
  const carried = jobs.filter((job) => {
    const problem = problemOf(job, old);
    if (problem !== undefined) notCarried.push(`line ${job.line + 1} of the crontab: ${problem}`);
    return problem === undefined;
  });
  const watchers = carried.filter((job) => carried.length > 1 && isWatcher(job, script?.path));
  const wakers = carried.filter((job) => !watchers.includes(job));
  const main = wakers.find(({ schedule }) => schedule !== "@reboot");
  const every = intervalIn(text) ?? 15 * MINUTE;
  const limit = limitIn(text);
  const grace = limit !== undefined && limit > every ? limit - every : 5 * MINUTE;
  const promise = main === undefined ? { every: formatDuration(every) } : promiseOf(main, old.zone);
  const channel = telegramIn(text);
  if (/api\.telegram\.org/.test(text) && channel === undefined)
    notCarried.push(
      "its messages to Telegram: the script contains no chat id; add channels: {phone: {kind: telegram, chat: CHAT}}",
    );
  const wakes: CronWake[] = wakers.map((job) => wakeOf(id, job));
  if (wakes.length === 0 && script !== undefined) wakes.push(startOf(id, script, text));
  const config = {
    agents: [{ id, ...promise, grace: formatDuration(grace), process: { journal: true } }],
    channels: channel && { telegram: channel },
  };
  const canGo = carried.map(({ line }) => ({ line, text: crontab.lines[line] ?? "" }));
  return { config, wakes, canGo, notCarried, todo: todoFor(id, text, watchers) };
}

function todoFor(id: string, text: string, watchers: readonly Job[]): string[] {
  const stamp =
    /["'\s=]((?:~|\$HOME|\$\{HOME\})?\/[^\s"']*(?:heartbeat|stamp|alive|beat)[^\s"'/]*)["'\s]/i.exec(
      text,
    )?.[1];
  const reads = `let programs that read ${stamp} call rollcall check ${id} or rollcall status ${id} --json instead`;
  return [
    ...(stamp === undefined || /\.(?:sh|py|js)$/.test(stamp) ? [] : [reads]),
    ...watchers.map(
      ({ line }) =>
        `line ${line + 1} of the crontab looks for missed beats; the watcher now does that (rollcall install cron keeps the watcher running)`,
    ),
  ];
}

/** The script that cron wakes; without one, the one that is called so. */
function mainScript({ scripts }: OldDaemon, jobs: readonly Job[]): OldDaemon["scripts"][number] | undefined {
  const woken = scripts.filter(({ path }) =>
    jobs.some(({ command }) => command.includes(posix.basename(path))),
  );
  const called = (list: OldDaemon["scripts"]) =>
    list.find(
      ({ path }) => /heartbeat|daemon/i.test(posix.basename(path)) && !WATCHES.test(posix.basename(path)),
    );
  return called(woken) ?? called(scripts) ?? woken[0] ?? scripts[0];
}

function isWatcher({ command }: Job, script: string | undefined): boolean {
  if (script !== undefined && command.includes(posix.basename(script))) return false;
  return WATCHES.test(command);
}

function startOf(id: string, { path }: { path: string }, text: string): CronWake {
  const interpreter = /^#!/.test(text)
    ? undefined
    : { ".py": "python3", ".js": "node", ".sh": "/bin/sh" }[posix.extname(path)];
  const line = interpreter === undefined ? path : `${interpreter} ${path}`;
  const command = argumentsOf({ command: line, variables: {} });
  const schedule = LOOP.test(text) ? "@reboot" : "*/15 * * * *";
  return {
    block: `agent ${id}`,
    schedule,
    args: ["run", id, "--", ...command],
    environment: "of this shell",
  };
}

const LOOP = /while\s+(?:true|:|1\b)|while\s*\(\s*(?:true|1)\s*\)|setInterval\s*\(/i;

/** The agent's name, where the script says it in so many words. */
function agentIn(text: string): string | undefined {
  const quoted = /\bagent(?:_?(?:name|id))?["']?\s*[:=]\s*["']([^"'\s]+)["']/i.exec(text)?.[1];
  const shell = /^\s*(?:export\s+)?AGENT(?:_NAME|_ID)?=([A-Za-z0-9][\w-]*)\s*$/m.exec(text)?.[1];
  return [quoted, shell].find((name) => name !== undefined && isAgentId(name));
}

const GENERAL = /^(?:bin|scripts?|src|lib|app|daemons?|heartbeats?|cron|tools|)$/i;

function folderName(script: string): string {
  const folders = posix.dirname(script).split("/").reverse();
  const own = folders.find((name) => !GENERAL.test(name));
  return own?.replace(/^\./, "") ?? posix.basename(script, posix.extname(script));
}

const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, "": SECOND };

/** How often it stamps: an interval in seconds, or what it sleeps. */
function intervalIn(text: string): number | undefined {
  const [, count, factor] = /\b\w*INTERVAL\w*\s*=\s*(\d+)(?:\s*\*\s*(60))?/i.exec(text) ?? [];
  if (count !== undefined) return sensible(Number(count) * Number(factor ?? 1) * SECOND);
  const [, slept, unit = ""] = /\bsleep[\s(]+(\d+)([smh]?)\b/.exec(text) ?? [];
  return slept === undefined ? undefined : sensible(Number(slept) * (UNITS[unit] ?? SECOND));
}

/** After how long its beat counts as missed. */
function limitIn(text: string): number | undefined {
  const [, minutes] = /-mmin\s+\+(\d+)/.exec(text) ?? [];
  if (minutes !== undefined) return Number(minutes) * MINUTE;
  const [, count, factor] = /\b\w*(?:STALE|DEAD|MAX_AGE)\w*\s*=\s*(\d+)(?:\s*\*\s*(60))?/i.exec(text) ?? [];
  return count === undefined ? undefined : sensible(Number(count) * Number(factor ?? 1) * SECOND);
}

/** A pause of a few seconds between two tries is no interval of beats. */
function sensible(length: number): number | undefined {
  return length >= 30 * SECOND && length <= 24 * HOUR ? length : undefined;
}

function telegramIn(text: string): object | undefined {
  const chat = /\bCHAT(?:_?ID)?\w*["']?\s*[:=]\s*["']?(-?\d{5,15})\b/i.exec(text)?.[1];
  return chat === undefined ? undefined : { kind: "telegram", chat: Number(chat) };
}
