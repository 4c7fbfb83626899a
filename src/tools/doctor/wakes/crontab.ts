/** One line of a crontab that runs something, or that cron cannot read. */
export interface CronLine {
  readonly number: number;
  readonly text: string;
  /** What the shell is given; undefined if cron cannot read the line. */
  readonly command: string | undefined;
  /** The user that it runs as, in system-wide crontabs. */
  readonly user: string | undefined;
  /** The settings that stand above it, such as PATH. */
  readonly settings: ReadonlyMap<string, string>;
  /** Whether it stands between our own marks. */
  readonly marked: boolean;
}

const SETTING = /^([A-Za-z_]\w*|"[^"]*"|'[^']*')\s*=\s*(.*?)\s*$/;
const FIELDS = /^(?:@\w+|(?:[^\s]+\s+){4}[^\s]+)\s+(.*)$/;
/** The first and the last line of a block that Rollcall wrote, whatever else they say. */
const BEGIN = /^#.*(?:rollcall.*\bbegin|\bbegin.*rollcall|>>>.*rollcall)/i;
const END = /^#.*(?:rollcall.*\bend\b|\bend\b.*rollcall|<<<.*rollcall)/i;

/** Reads a crontab as cron does. System-wide ones name a user before the command. */
export function readCrontab(text: string, options: { readonly withUser: boolean }): readonly CronLine[] {
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
      const rest = FIELDS.exec(line)?.[1];
      const [user, command] = options.withUser ? splitUser(rest) : [undefined, rest];
      const run = command === undefined ? undefined : shellPart(command);
      lines.push({ number: index + 1, text: line, command: run, user, settings: new Map(settings), marked });
    }
  }
  return lines;
}

function splitUser(rest: string | undefined): readonly [string | undefined, string | undefined] {
  const [, user, command] = /^(\S+)\s+(.*)$/.exec(rest ?? "") ?? [];
  return [user, command];
}

/** What comes before a bare `%`: the rest is the command's input. `\%` is a per cent sign. */
function shellPart(command: string): string {
  return command.replace(/(?<!\\)%.*$/s, "").replaceAll("\\%", "%");
}

function unquote(text: string): string {
  return /^(?:"[^"]*"|'[^']*')$/.test(text) ? text.slice(1, -1) : text;
}
