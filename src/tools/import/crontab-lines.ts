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

export interface Crontab {
  readonly lines: readonly string[];
  readonly jobs: readonly Job[];
  /** Lines that are neither a job, nor a variable, nor a comment, from 0. */
  readonly unreadable: readonly number[];
  /** How many jobs stand in blocks of Rollcall's own. */
  readonly ours: number;
}

const VARIABLE = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/;
const SCHEDULE = /^\s*(@[A-Za-z]+|(?:[0-9*][^\s=]*\s+){2}(?:[^\s=]+\s+){2}[^\s=]+)\s+(.+)$/;

/** Reads a crontab: `crontab -l`, or with `hasUser` a file of /etc/cron.d. */
export function readCrontabText(text: string, hasUser = false): Crontab {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const jobs: Job[] = [];
  const unreadable: number[] = [];
  let variables: Readonly<Record<string, string>> = {};
  let isOurs = false;
  let ours = 0;
  for (const [line, said] of lines.entries()) {
    if (/^# >>> rollcall .+ >>>\s*$/.test(said)) isOurs = true;
    if (/^# <<< rollcall <<<\s*$/.test(said)) isOurs = false;
    if (/^\s*(?:#|$)/.test(said)) continue;
    const [, name, value = ""] = VARIABLE.exec(said) ?? [];
    if (name !== undefined) {
      variables = { ...variables, [name]: value.replace(/^(["'])(.*)\1$/, "$2") };
      continue;
    }
    const job = jobIn(said, hasUser);
    if (job === undefined) unreadable.push(line);
    else if (isOurs) ours += 1;
    else jobs.push({ line, variables, ...job });
  }
  return { lines, jobs, unreadable, ours };
}

function jobIn(said: string, hasUser: boolean): Omit<Job, "line" | "variables"> | undefined {
  const [, when, rest = ""] = SCHEDULE.exec(said) ?? [];
  if (when === undefined) return undefined;
  const schedule = when.trim().replaceAll(/\s+/g, " ");
  const [, user, own] = hasUser ? (/^(\S+)\s+(.+)$/.exec(rest) ?? []) : [undefined, undefined, rest];
  if (own === undefined) return undefined;
  // Cron ends the command at the first % without a backslash, and takes the backslash away from the others.
  const end = /(?<!\\)%/.exec(own)?.index;
  const command = own.slice(0, end).replaceAll("\\%", "%").trim();
  return { schedule, ...(user === undefined ? {} : { user }), command, hasInput: end !== undefined };
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
