/** One line of a crontab that runs something, or that cron cannot read. */
export interface CronLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  readonly schedule: string;
  /** What the shell is given; undefined if cron cannot read the line. */
  readonly command: string | undefined;
  /** The job gets text on its standard input: what stands behind a `%`. */
  readonly hasInput: boolean;
  /** The user that it runs as, in system-wide crontabs. */
  readonly user: string | undefined;
  /** The settings that stand above it, such as PATH. */
  readonly settings: ReadonlyMap<string, string>;
  /** Whether it stands between our own marks. */
  readonly marked: boolean;
}

const SETTING = /^([A-Za-z_]\w*|"[^"]*"|'[^']*')\s*=\s*(.*?)$/;
const JOB = /^(@[A-Za-z]+|(?:[0-9*][^\s=]*\s+){2}(?:[^\s=]+\s+){2}[^\s=]+)\s+(.+)$/;
/** The first and the last line of a block that Rollcall wrote, whatever else they say. */
const BEGIN = /^#.*(?:rollcall.*\bbegin|\bbegin.*rollcall|>>>.*rollcall)/i;
const END = /^#.*(?:rollcall.*\bend\b|\bend\b.*rollcall|<<<.*rollcall)/i;

/** Reads a crontab as cron does. System-wide ones name a user before the command. */
export function readCrontab(text: string, withUser: boolean): readonly CronLine[] {
  const settings = new Map<string, string>();
  const lines: CronLine[] = [];
  let marked = false;
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (BEGIN.test(line)) marked = true;
    else if (END.test(line)) marked = false;
    if (line === "" || line.startsWith("#")) continue;
    const [, name, value = ""] = SETTING.exec(line) ?? [];
    if (name !== undefined) settings.set(unquote(name), unquote(value));
    else {
      const [, when = "", rest] = JOB.exec(line) ?? [];
      const [, user, given] = withUser
        ? (/^(\S+)\s+(.+)$/.exec(rest ?? "") ?? [])
        : [undefined, undefined, rest];
      // The command ends at the first % without a backslash; the others lose their backslash.
      const end = /(?<!\\)%/.exec(given ?? "")?.index;
      const command = given?.slice(0, end).replaceAll("\\%", "%").trim();
      const schedule = when.replaceAll(/\s+/g, " ");
      const job = { schedule, command, user, hasInput: end !== undefined };
      lines.push({ number: index + 1, text: line, ...job, settings: new Map(settings), marked });
    }
  }
  return lines;
}

function unquote(text: string): string {
  return /^(?:"[^"]*"|'[^']*')$/.test(text) ? text.slice(1, -1) : text;
}
