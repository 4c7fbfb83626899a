import { InstallError, refuseControl } from "../../home/install-error.ts";

export interface CronJob {
  /** As `cronSchedule` gives it. */
  readonly schedule: string;
  /** For this line alone: an assignment in a line of its own would change the lines of others. */
  readonly variables: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

/** Debian's cron refuses a longer command; others of its family cut it and run what is left without a word. */
const LONGEST_COMMAND = 998;

/** One line of a crontab, without its newline. */
export function cronLine({ schedule, variables, command }: CronJob): string {
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const words = ["/usr/bin/env", ...assignments, ...command];
  for (const word of words) refuseControl("the word", word);
  const text = words.map(cronWord).join(" ");
  const length = Buffer.byteLength(text);
  if (length > LONGEST_COMMAND) {
    throw new InstallError(
      "bad-text",
      `the command would have ${length} bytes, and cron accepts at most ${LONGEST_COMMAND}; ` +
        "put the command into a script, or install with a shorter PATH",
    );
  }
  return `${schedule} ${text}`;
}

/**
 * Quotes a word for the shell, and for cron before it. Cron ends the command at `%` unless a backslash stands before
 * it; how it reads two backslashes in a row, or a backslash before `\%`, depends on the cron. So no backslash of ours is
 * ever followed by another one: between them the quotes are closed and opened again, which says nothing to the shell.
 */
function cronWord(text: string): string {
  if (/^[\w@+=:,./-]+$/.test(text)) return text;
  const quoted = text.replaceAll("'", "'\\''").replaceAll(/\\(?=[\\%])/g, "\\''");
  return `'${quoted.replaceAll("%", "\\%")}'`;
}
