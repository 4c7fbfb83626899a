import { join } from "node:path";
import { namesIn } from "../../../system/files.ts";
import { type CronLine, readCrontab } from "../../crontab.ts";
import { textOf } from "../check.ts";
import type { Host } from "../host.ts";

/** What concerns us: our own lines and units, and whatever else is meant to be a heartbeat. */
export const OURS = /heartbeat|rollcall/i;

/** A crontab with lines that concern us. */
export interface Crontab {
  /** What people call it: `your crontab`, or its file. */
  readonly called: string;
  /** Undefined for the user's own. */
  readonly file: string | undefined;
  readonly lines: readonly CronLine[];
  /** False if the last line has no line feed: cron does not run it. */
  readonly whole: boolean;
}

/** Every crontab that this user can read and that concerns us. */
export async function crontabsHere(host: Host): Promise<readonly Crontab[]> {
  const own = await host.crontab();
  const folder = host.system("/etc/cron.d");
  const files = [host.system("/etc/crontab"), ...namesIn(folder).map((name) => join(folder, name))];
  const found = [
    ...("text" in own ? [crontabIn(own.text, "your crontab", undefined)] : []),
    ...files.flatMap((file) => {
      const text = textOf(file);
      return text === undefined ? [] : [crontabIn(text, file, file)];
    }),
  ];
  return found.filter(({ lines }) => lines.length > 0);
}

function crontabIn(text: string, called: string, file: string | undefined): Crontab {
  const lines = readCrontab(text, file !== undefined);
  return {
    called,
    file,
    lines: lines.filter((line) => line.marked || OURS.test(line.text)),
    whole: text === "" || text.endsWith("\n"),
  };
}
