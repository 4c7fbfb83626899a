import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { CodedError } from "../core/coded-error.ts";
import { moveAside, putInPlace } from "../home/aside.ts";
import type { Home } from "../home/home.ts";
import { Writer } from "../home/store.ts";
import { StoreError } from "../ports/store.ts";
import { checkWhole, copyWhole } from "../store/sqlite/backup.ts";

/** A copy that was not made or not put back, and why. */
class BackupError extends CodedError<
  "exists" | "no-database" | "no-folder" | "not-a-backup" | "not-a-file" | "watcher-runs"
> {
  override readonly name = "BackupError";
}

/**
 * Copies the database of a home into a file, while a watcher may be writing it. The copy has its name once it is complete
 * and was read whole.
 */
export function backUp(home: Home, to: string, force = false): void {
  refuseElsewhere(home);
  const file = resolve(to);
  if (!existsSync(home.database))
    throw new BackupError("no-database", `there is no database at ${home.database} yet`);
  if (file === home.database)
    throw new BackupError("exists", `${file} is the database itself; name another file`);
  if (existsSync(file) && !force)
    throw new BackupError("exists", `${file} exists; replace it with --force, or name another file`);
  const folder = dirname(file);
  // A folder that is missing is a typing error, or a disk that is not mounted: a copy there would be found by nobody.
  if (!existsSync(folder))
    throw new BackupError("no-folder", `there is no folder ${folder}; create it first: mkdir -p ${folder}`);
  copyWhole(home.database, `${file}.unfinished`);
  putInPlace(`${file}.unfinished`, file);
}

function refuseElsewhere(home: Home): void {
  if (home.store === undefined) return;
  throw new BackupError(
    "not-a-file",
    "the store of this home is on PostgreSQL, whose own tools do this better: pg_dump and pg_restore, or base backups (docs/backup.md). To copy it into a file, use rollcall store copy.",
  );
}

/** The advice for a damaged database of a home would harm a file that is something else. */
function checkCopy(file: string): void {
  try {
    checkWhole(file);
  } catch (error) {
    if (!(error instanceof StoreError) || (error.code !== "corrupt" && error.code !== "failed")) throw error;
    const said = error.cause instanceof Error ? error.cause.message : error.message;
    throw new BackupError(
      "not-a-backup",
      `${file} is not a backup of Rollcall, or it is damaged (${said}); name a file that rollcall backup wrote`,
      { cause: error },
    );
  }
}

/** Restores a copy. With `force` an existing database is moved aside; returns its new path. */
export function restore(home: Home, from: string, force = false): string | undefined {
  refuseElsewhere(home);
  const file = resolve(from);
  if (!existsSync(file)) throw new BackupError("no-database", `there is no file ${file}`);
  checkCopy(file);
  const writer = Writer.take(home);
  if (writer === undefined)
    throw new BackupError(
      "watcher-runs",
      "a watcher is running in this home; stop it first: rollcall daemon stop (or Ctrl-C where `rollcall up` runs)",
    );
  try {
    if (existsSync(home.database) && !force)
      throw new BackupError(
        "exists",
        `there is already a database at ${home.database}; to move it aside and put the copy in its place, add --force`,
      );
    copyWhole(file, `${home.database}.unfinished`);
    const aside = moveAside(home.database, "before-restore");
    putInPlace(`${home.database}.unfinished`, home.database);
    return aside;
  } finally {
    writer.release();
  }
}
