import { Command } from "commander";
import { storedHome } from "../../config/stored-home.ts";
import { homeAt } from "../../home/home.ts";
import { backUp, restore } from "../../tools/backup.ts";
import { examples } from "../input/arguments.ts";
import type { CommonOptions } from "../output/roll.ts";
import { say } from "../output/terminal.ts";

interface Options extends CommonOptions {
  readonly force?: true;
}

export function backupCommand(): Command {
  return new Command("backup")
    .description("copy the database to a file, even while the watcher runs, and check the copy")
    .argument("<file>", "where the copy goes")
    .option("--force", "replace the file if it exists")
    .addHelpText("after", examples('backup "/var/backups/rollcall-$(date +%u).db" --force'))
    .action(async (file: string, { home, config, force }: Options) => {
      const stored = await storedHome(homeAt(home), config);
      backUp(stored, file, force);
      say(`copied the database to ${file} and checked the copy`);
    });
}

export function restoreCommand(): Command {
  return new Command("restore")
    .description("put a copy of the database back; the watcher must be stopped")
    .argument("<file>", "a copy that `rollcall backup` made")
    .option("--force", "move the existing database aside")
    .addHelpText("after", examples("restore /var/backups/rollcall-1.db --force"))
    .action(async (file: string, { home, config, force }: Options) => {
      const stored = await storedHome(homeAt(home), config);
      const aside = restore(stored, file, force);
      say(
        `restored the database from ${file}${aside === undefined ? "" : `; the previous one is now ${aside}`}`,
      );
    });
}
