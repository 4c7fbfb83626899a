import { existsSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { iso } from "../core/duration.ts";
import { flush } from "../store/sqlite/copy.ts";

/** SQLite's log and index beside a database: they go where it goes. */
const COMPANIONS = ["", "-wal", "-shm"];

/**
 * Moves a database and what lies beside it aside under a dated name. Answers with that name if the database itself was
 * there. Nothing is deleted.
 */
export function moveAside(
  database: string,
  why: "damaged" | "replaced" | "before-restore",
): string | undefined {
  if (!COMPANIONS.some((suffix) => existsSync(database + suffix))) return undefined;
  const date = iso(Date.now()).replace(/[-:]|\.\d+/g, "");
  const wasThere = existsSync(database);
  let aside = `${database}.${why}-${date}`;
  for (let number = 2; COMPANIONS.some((suffix) => existsSync(aside + suffix)); number++)
    aside = `${database}.${why}-${date}.${number}`;
  // A log beside a file that replaced ours may be ours: under the new file's name SQLite would write it into that.
  const nameOf = (suffix: string) => aside + (why === "replaced" ? suffix.replace("-", ".") : suffix);
  for (const suffix of COMPANIONS)
    if (existsSync(database + suffix)) renameSync(database + suffix, nameOf(suffix));
  flush(dirname(database));
  return wasThere ? aside : undefined;
}

/** Gives a finished copy the name of the database. */
export function putInPlace(copy: string, database: string): void {
  renameSync(copy, database);
  flush(dirname(database));
}
