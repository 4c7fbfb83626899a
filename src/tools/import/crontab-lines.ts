import { given } from "../../core/given.ts";
import { readCrontab } from "../crontab.ts";

/** A job of a crontab. */
export interface Job {
  /** Its line, from 0. */
  readonly line: number;
  readonly schedule: string;
  /** The user column of a system crontab. */
  readonly user?: string;
  /** As the shell gets it. */
  readonly command: string;
  /** The job gets text on its standard input: what stands behind a `%`. */
  readonly hasInput: boolean;
  /** The variables in force at this line. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface CrontabText {
  readonly lines: readonly string[];
  readonly jobs: readonly Job[];
  /** Lines that are neither a job, nor a variable, nor a comment, from 0. */
  readonly unreadable: readonly number[];
  /** How many jobs stand in blocks of Rollcall's own. */
  readonly ours: number;
}

/** Reads a crontab: `crontab -l`, or with `hasUser` a file of /etc/cron.d. */
export function readCrontabText(text: string, hasUser = false): CrontabText {
  const found = readCrontab(text, hasUser);
  const jobs = found.flatMap(({ number, schedule, user, command, hasInput, settings, marked }) => {
    if (command === undefined || marked) return [];
    const variables = Object.fromEntries(settings);
    return [given({ line: number - 1, schedule, user, command, hasInput, variables })];
  });
  return {
    lines: text.replaceAll("\r\n", "\n").split("\n"),
    jobs,
    unreadable: found.filter(({ command }) => command === undefined).map(({ number }) => number - 1),
    ours: found.filter(({ command, marked }) => marked && command !== undefined).length,
  };
}

const WRAPPERS =
  /^(?:env|nice|ionice|chronic|sudo|timeout|flock|setsid|nohup|exec|bash|sh|zsh|dash|python[\d.]*|node|perl|ruby|php|cd|test|uv|npx|run)$/;
const SCRIPT = /\.(?:sh|bash|py|js|mjs|cjs|ts|rb|pl|php)$/;

const GENERAL = /^(?:run|start|wake|main|job|cron|index|cycle|once)$/;

/** What a job is called: the name of its script or program, or of the folder where that name says nothing. */
export function nameOf(command: string): string {
  const words = command
    .split(/[\s;&|()<>]+/)
    .map((word) => word.replaceAll(/["'`]/g, ""))
    .filter((word) => word !== "");
  const script = words.find((word) => SCRIPT.test(word));
  const program = words.find((word, index) => {
    const base = word.split("/").at(-1) ?? "";
    const isOption = /^[-[]|^[\d.]+[smhd]?$|^[A-Za-z_]\w*=/.test(word);
    const isFolder = words[index - 1] === "cd";
    return !isOption && !isFolder && !WRAPPERS.test(base) && /\w/.test(base);
  });
  const path = (script ?? program ?? "job").split("/");
  const name = path.at(-1)?.replace(SCRIPT, "") ?? "";
  return GENERAL.test(name) ? path.at(-2) || name : name;
}

/** A command without anything that only a shell understands is a list of words; others go to their shell as they are. */
export function argumentsOf({ command, variables }: Pick<Job, "command" | "variables">): readonly string[] {
  if (/^\/[\w@+=:,./ -]+$/.test(command)) return command.split(/ +/);
  return [variables.SHELL || "/bin/sh", "-c", command];
}

/** The jobs of a crontab that name a file or a folder, or something below it. */
export function jobsNaming(jobs: readonly Job[], path: string, home: string): readonly Job[] {
  return jobs.filter(({ command }) => names(command, path, home));
}

function names(command: string, path: string, home: string): boolean {
  const whole = command.replaceAll(/(?<![\w/])(?:~|\$HOME|\$\{HOME\})(?=\/)/g, home);
  for (let at = whole.indexOf(path); at >= 0; at = whole.indexOf(path, at + 1)) {
    const [before = "", after = ""] = [whole[at - 1], whole[at + path.length]];
    if (/^[^\w./-]?$/.test(before) && /^[^\w.-]?$/.test(after)) return true;
  }
  return false;
}
