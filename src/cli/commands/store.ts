import { Command } from "commander";

import { CopyError, copyBetween, type StoreCopy, storePlace } from "../../tools/copy-store.ts";
import { examples } from "../input/arguments.ts";
import { Failure } from "../output/failure.ts";
import { ProgressLine } from "../output/progress.ts";
import type { CommonOptions } from "../output/roll.ts";
import { sayDone } from "../output/terminal.ts";

interface CopyOptions extends CommonOptions {
  readonly from: string;
  readonly to: string;
}

export function storeCommand(): Command {
  const example = "store copy --from sqlite:./rollcall.db --to env:ROLLCALL_STORE";
  const store = new Command("store")
    .description("move Rollcall's data between SQLite and PostgreSQL")
    .addHelpText("after", examples(example));
  store
    .command("copy")
    .description("copy all data into an empty store and compare both; the watcher must be stopped")
    .requiredOption("--from <place>", "where the data is (see below)")
    .requiredOption("--to <place>", "where the copy goes")
    .option("--json", "print JSON: {from, to, how, number, tables}")
    .addHelpText(
      "after",
      `
A place is one of:
  sqlite:PATH      a database file, for example ~/.rollcall/rollcall.db
  env:NAME         an environment variable that holds the address of a
                   PostgreSQL database
  file:PATH        a file that holds this address
  postgres://…     the address itself; other users of this machine can see it,
                   so do not put a password in it

If the copy is interrupted, run the same command again: it continues where it
stopped. No watcher can use the copy until it is complete. The original is not
changed.

Exit codes: 0 copied and compared; 1 failed; 2 refused (a wrong place, a running
watcher, or a target with other data).
${examples(example, "store copy --from env:ROLLCALL_STORE --to sqlite:./rollcall.db")}`,
    )
    .action(async ({ from, to, json }: CopyOptions) => {
      const copy = await copied(from, to);
      sayDone(json, copy, sayCopy(copy));
    });
  return store;
}

async function copied(from: string, to: string): Promise<StoreCopy> {
  const progress = new ProgressLine();
  try {
    return await copyBetween(
      storePlace("--from", from),
      storePlace("--to", to),
      (doing, table, rows, total) =>
        progress.show(() => `${doing} ${table}: ${sayCount(rows)} of ${sayCount(total)} rows`),
    );
  } catch (error) {
    if (!(error instanceof CopyError)) throw error;
    const isRefused = error.code !== "changed" && error.code !== "differs";
    throw new Failure(error.message, isRefused ? 2 : 1);
  } finally {
    progress.end();
  }
}

function sayCopy({ from, to, how, tables }: StoreCopy): string {
  const rows = sayCount(tables.reduce((sum, table) => sum + table.rows, 0));
  const what = {
    new: `copied ${from} to ${to}`,
    resumed: `finished the interrupted copy of ${from} to ${to}`,
    complete: `${to} was already a complete copy of ${from}`,
  }[how];
  const next = to.startsWith("sqlite:")
    ? "To use it, remove `store` from the config of that home and start the watcher."
    : "To use it, name it under `store` in the config and start the watcher.";
  return `${what}: ${rows} rows in ${tables.length} tables, compared by count and checksum. ${next}`;
}

function sayCount(count: number): string {
  return count.toLocaleString("en-US");
}
