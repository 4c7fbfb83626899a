import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** What a start writes before it is ready: the lock, the PID file, and the files beside the database. */
const NEEDED = 256 * 1024;

/** Whether a watcher could start on the disk of the home. It writes to find out, because free blocks do not show a quota. */
export function hasRoomToStart(home: string): boolean {
  const file = join(home, `room.${process.pid}.tmp`);
  try {
    const opened = openSync(file, "wx", 0o600);
    try {
      const bytes = Buffer.alloc(NEEDED);
      // A disk that gets full takes a part of it first.
      for (let at = 0; at < NEEDED; ) at += writeSync(opened, bytes, at);
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
    return true;
  } catch (error) {
    // Any other problem is told better by the start itself.
    return !["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");
  } finally {
    rmSync(file, { force: true });
  }
}
