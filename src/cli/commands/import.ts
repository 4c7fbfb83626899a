import { userInfo } from "node:os";
import { resolve } from "node:path";
import { Command, Option } from "commander";
import { expandTilde } from "../../agent/home.ts";
import { importCrontab } from "../../tools/import/crontab.ts";
import { importHealthchecks } from "../../tools/import/healthchecks.ts";
import { importHeartbeatDaemon } from "../../tools/import/heartbeat-daemon.ts";
import type { Imported } from "../../tools/import/imported.ts";
import { importPm2 } from "../../tools/import/pm2.ts";
import { importTickScripts } from "../../tools/import/tick-scripts.ts";
import { importUptimeKuma } from "../../tools/import/uptime-kuma.ts";
import { checkout, oldDaemon, ownCrontab, readText, zone } from "../import/read.ts";
import { type ImportFlags, tellImported } from "../import/write.ts";
import { examples } from "../input/arguments.ts";

interface CrontabFlags extends ImportFlags {
  readonly system?: true;
}

interface HealthchecksFlags extends ImportFlags {
  readonly channels?: string;
}

export function importCommand(): Command {
  const all = new Command("import")
    .description("make a config from the setup of another program; only --write writes files")
    .addHelpText(
      "after",
      `
The config goes to the standard output. Remarks go to the error output: what you
can remove, what could not be imported, and what is left to do. --write writes
the config and, where cron is needed, a new crontab beside it. It does not
change your crontab.

Examples:
  $ rollcall import crontab ./jobs.cron > rollcall.yaml
  $ rollcall import pm2 ~/.pm2/dump.pm2 --write`,
    );
  source(all, "heartbeat-daemon <path>", "an agent's own heartbeat daemon: its folder or its script", [
    "heartbeat-daemon ~/allegro",
    "heartbeat-daemon ~/allegro/heartbeat_daemon.py --write",
  ]).action((path: string, flags: ImportFlags) => {
    const crontab = ownCrontab(flags.crontab);
    return tell(["heartbeat-daemon", path], importHeartbeatDaemon(oldDaemon(path, crontab)), crontab, flags);
  });
  source(
    all,
    "tick-scripts <path>",
    "a git checkout with config/agent-registry.json, ticks/ and scripts that submit and check ticks",
    ["tick-scripts ~/fleet"],
  ).action((path: string, flags: ImportFlags) => {
    const crontab = ownCrontab(flags.crontab);
    return tell(["tick-scripts", path], importTickScripts(checkout(path, crontab)), crontab, flags);
  });
  source(all, "pm2 <file>", "dump.pm2, the output of pm2 jlist, or an ecosystem file in JSON or YAML", [
    "pm2 ~/.pm2/dump.pm2",
    "pm2 ecosystem.json --write",
  ]).action((file: string, flags: ImportFlags) => {
    const imported = importPm2(readText(file), resolve(expandTilde(file)), zone());
    return tell(["pm2", file], imported, ownCrontab(flags.crontab), flags);
  });
  source(all, "healthchecks <file>", "the reply of GET /api/v3/checks/ of Healthchecks", [
    "healthchecks checks.json --channels channels.json",
  ])
    .option("--channels <file>", "a file with the reply of GET /api/v3/channels/ of Healthchecks")
    .action((file: string, flags: HealthchecksFlags) => {
      const { channels } = flags;
      const imported = importHealthchecks({
        checks: { file, text: readText(file) },
        ...(channels === undefined ? {} : { channels: { file: channels, text: readText(channels) } }),
      });
      return tell(["healthchecks", file], imported, "", flags);
    });
  source(all, "uptime-kuma <file>", "a backup of Uptime Kuma 1 (Settings, Backup, Export)", [
    "uptime-kuma Uptime_Kuma_Backup.json",
  ]).action((file: string, flags: ImportFlags) =>
    tell(["uptime-kuma", file], importUptimeKuma(readText(file), file), "", flags),
  );
  source(all, "crontab <file>", "a crontab, as crontab -l prints it; - reads the standard input", [
    "crontab jobs.cron",
    "crontab /etc/cron.d/jobs --system",
  ])
    .option("--system", "each line names a user before the command (the default for files in /etc)")
    .action((file: string, flags: CrontabFlags) => {
      const text = readText(file);
      const hasUser = flags.system ?? /^\/etc\/cron/.test(resolve(expandTilde(file)));
      const imported = importCrontab(text, { file, zone: zone(), hasUser, user: userInfo().username });
      const install = (made: string) => (hasUser ? `replace ${file} with it` : `install it: crontab ${made}`);
      return tellImported({ what: `crontab ${file}`, imported, crontab: text, install }, flags);
    });
  return all;
}

function source(parent: Command, name: string, description: string, shown: readonly string[]): Command {
  const [command = "", argument = ""] = name.split(" ");
  return parent
    .command(command)
    .argument(argument, argument === "<path>" ? "the folder or file to import" : "the file to import")
    .description(description)
    .option("--write", "write the config, and a new crontab where cron is needed, instead of printing them")
    .option("--force", "with --write: replace an existing config")
    .option("--json", "print JSON: {config, crontab, canGo, notCarried, todo, written}")
    .addOption(new Option("--crontab <program>", "what is called for crontab").hideHelp())
    .addHelpText("after", examples(...shown.map((one) => `import ${one}`)));
}

function tell(
  words: readonly string[],
  imported: Imported,
  crontab: string,
  flags: ImportFlags,
): Promise<void> {
  const install = (file: string) => `install it: crontab ${file}`;
  return tellImported({ what: words.join(" "), imported, crontab, install }, flags);
}
