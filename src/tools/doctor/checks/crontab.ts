import { basename } from "node:path";
import type { CronLine } from "../../crontab.ts";
import { type Check, type CheckContext, type CheckFinding, fail, note, ok, textOf, warn } from "../check.ts";
import { type Crontab, crontabsHere } from "../wakes/crontab.ts";
import { needsOfShell } from "../wakes/needs.ts";
import { lackOf } from "../wakes/on-disk.ts";

/** What cron gives a job that sets no PATH of its own. */
const CRON_PATH = "/usr/bin:/bin";
const CRON = ["cron", "crond", "fcron", "dcron", "cronie", "busybox"];

export const crontabCheck: Check = {
  name: "crontab",
  looksAt:
    "crontab lines that Rollcall wrote or that mention heartbeat or rollcall: every file that they need exists",
  worst: "error",
  async run(context) {
    const own = await context.host.crontab();
    const crontabs = await crontabsHere(context.host);
    const found = crontabs.flatMap((crontab) => [
      ...ignored(crontab),
      ...crontab.lines.flatMap((line) => lookAtLine(crontab, line, context)),
    ]);
    if ("problem" in own)
      found.push(warn(`the doctor cannot read your crontab: ${own.problem}`, "See what it says: crontab -l"));
    const lines = crontabs.reduce((sum, crontab) => sum + crontab.lines.length, 0);
    if (lines === 0) return found.length > 0 ? found : [ok("no crontab line has to do with Rollcall")];
    if (cronRuns(context) === false) found.push(NO_CRON);
    if (found.length > 0) return found;
    const points = lines === 1 ? "1 crontab line points" : `${lines} crontab lines point`;
    return [ok(`${points} at files that exist`)];
  },
};

const NO_CRON = warn(
  "cron is not running on this machine, so the crontab lines do not run",
  "Start it: sudo service cron start",
);

function lookAtLine(crontab: Crontab, line: CronLine, context: CheckContext): readonly CheckFinding[] {
  const where = `${crontab.called}, line ${line.number}`;
  const todo = correct(crontab, line, context);
  if (line.command === undefined) return [fail(`${where}: cron cannot read "${line.text}"`, todo)];
  const home = line.settings.get("HOME") ?? homeOf(line.user, context);
  const variables = new Map([
    ["PATH", CRON_PATH],
    ...(home === undefined ? [] : [["HOME", home] as const]),
    ...line.settings,
  ]);
  const { needs, closed } = needsOfShell(line.command, { folder: home, variables });
  const lacks = needs.flatMap((need) => lackOf(need) ?? []);
  const says = [...new Set(lacks.filter(({ hidden }) => !hidden).map((lack) => lack.says))];
  if (!closed) says.push("a quote or a parenthesis is not closed");
  const asRoot = `Look as root: sudo ${context.command("doctor")}`;
  return [
    ...says.map((each) => fail(`${where}: ${each}`, todo)),
    ...lacks.filter(({ hidden }) => hidden).map((lack) => note(`${where}: ${lack.says}`, asRoot)),
  ];
}

function correct({ file }: Crontab, line: CronLine, { command }: CheckContext): string {
  if (line.command?.includes("daemon ensure") === true && file === undefined)
    return `Install it again with the current paths: ${command("install cron")}`;
  return `Put the file back, or correct the line: ${file === undefined ? "crontab -e" : `sudoedit ${file}`}`;
}

/** What cron passes over without a word. */
function ignored({ called, file, lines, whole }: Crontab): readonly CheckFinding[] {
  if (file === undefined) return [];
  const found: CheckFinding[] = [];
  if (/[^A-Za-z0-9_-]/.test(basename(file))) {
    const right = basename(file).replace(/[^A-Za-z0-9_-]/g, "-");
    const says = `${called}: cron ignores files whose name has anything but letters, digits, "-" and "_"`;
    found.push(fail(says, `Rename it: sudo mv ${file} ${file.replace(/[^/]*$/, right)}`));
  }
  if (!whole) {
    const says = `${called}: its last line, ${lines.at(-1)?.number}, does not end in a line feed, so cron ignores it`;
    found.push(fail(says, `End it: echo | sudo tee -a ${file}`));
  }
  return found;
}

function homeOf(user: string | undefined, { host }: CheckContext): string | undefined {
  if (user === undefined || user === host.user) return host.userHome;
  const entry = textOf("/etc/passwd")
    ?.split("\n")
    .find((line) => line.startsWith(`${user}:`));
  return entry?.split(":")[5];
}

/** Undefined where the system hides the processes of others. */
function cronRuns({ host }: CheckContext): boolean | undefined {
  const running = host.programs();
  return running && CRON.some((name) => running.has(name));
}
