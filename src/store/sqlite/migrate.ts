import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { StoreError } from "../../ports/store.ts";
import { unfinishedCopy } from "../kit/copying.ts";
import { inTransaction, readNumber } from "./connection.ts";
import { copyBefore } from "./copy.ts";
import { APPLICATION_ID, UNFINISHED_ID } from "./migrations.ts";

/** Refuses, without having touched it, what another program or a newer version wrote. */
export function checkOwner(db: DatabaseSyncInstance, file: string, known: number): void {
  const version = versionOf(db);
  const empty = version === 0 && readNumber(db, "SELECT count(*) FROM sqlite_schema") === 0;
  const owner = readNumber(db, "PRAGMA application_id");
  if (owner === UNFINISHED_ID) {
    const [source] = db.prepare("SELECT source FROM copying").get() as readonly string[];
    throw unfinishedCopy(file, source ?? "");
  }
  if (!empty && owner !== APPLICATION_ID) {
    throw new StoreError(
      "failed",
      `${file} is the database of another program. Move it away, or choose another home for Rollcall.`,
    );
  }
  if (version > known) {
    throw new StoreError(
      "newer-schema",
      `the database ${file} has schema version ${version}, and this Rollcall knows up to ${known}. ` +
        `Update Rollcall, or put back a copy made before the update (${file}.v${known}.bak).`,
    );
  }
}

/** For readers, who cannot migrate. */
export function checkCurrent(db: DatabaseSyncInstance, file: string, known: number): void {
  const version = versionOf(db);
  if (version === known) return;
  throw new StoreError(
    "failed",
    version === 0
      ? `the database ${file} holds nothing yet. Start the watcher once: rollcall up`
      : `the database ${file} has schema version ${version}, and this Rollcall reads version ${known}. ` +
          "Start the watcher once to bring it up to date: rollcall up",
  );
}

/**
 * Brings the database to the newest version, one transaction a step, each step with its version number, so that
 * a crash leaves it at one version or the next and the next open goes on from there. What holds data is copied
 * before the first step, under the write lock: the copy is what the step starts from.
 */
export function migrate(db: DatabaseSyncInstance, file: string, scripts: readonly string[]): void {
  let copied = false;
  while (versionOf(db) < scripts.length) {
    inTransaction(db, () => {
      // Read again under the lock: another process may have been quicker.
      const version = versionOf(db);
      const script = scripts[version];
      if (script === undefined) return;
      if (version > 0 && !copied) copyBefore(file, version);
      copied = true;
      db.exec(script);
      if (version === 0) db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      db.exec(`PRAGMA user_version = ${version + 1}`);
    });
  }
}

export function versionOf(db: DatabaseSyncInstance): number {
  return readNumber(db, "PRAGMA user_version");
}
