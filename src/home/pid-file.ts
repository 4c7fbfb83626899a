import { randomBytes } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { sameIncarnation } from "../core/beat.ts";
import { locked } from "../system/lock.ts";
import { PidFileReader, type PidRecord } from "./pid-record.ts";

export class AlreadyRunningError extends Error {
  readonly code = "already-running";
  readonly record: PidRecord;

  constructor(path: string, record: PidRecord) {
    super(`already running as process ${record.incarnation.pid} (${path})`);
    this.name = "AlreadyRunningError";
    this.record = record;
  }
}

/**
 * A PID file that names a life of a process, not only a number: a pid that now belongs to another program, or that
 * comes from before a reboot, is recognised as stale. Its first line is the bare pid, for tools that expect one.
 * Who may write is decided under an exclusive lock that the kernel frees the instant its holder is killed.
 */
export class LockedPidFile extends PidFileReader {
  /** Takes the file for a process, unless a living one holds it. Returns the record that a dead one left behind. */
  write(record: PidRecord): PidRecord | undefined {
    return locked(`${this.path}.lock`, () => {
      const holder = this.read();
      if (holder !== undefined && this.isAlive(holder) && !isSame(holder, record)) {
        throw new AlreadyRunningError(this.path, holder);
      }
      const temporary = `${this.path}.${randomBytes(6).toString("hex")}`;
      writeFileSync(temporary, format(record), { mode: 0o600, flush: true });
      renameSync(temporary, this.path);
      return holder === undefined || isSame(holder, record) ? undefined : holder;
    });
  }

  /** Whether a living process holds it. */
  exists(): boolean {
    return this.holder() !== undefined;
  }

  /** Removes the file, but only if it belongs to this process. */
  remove(owner: PidRecord): void {
    locked(`${this.path}.lock`, () => {
      const record = this.read();
      if (record !== undefined && isSame(record, owner)) rmSync(this.path, { force: true });
    });
  }
}

function isSame(a: PidRecord, b: PidRecord): boolean {
  return sameIncarnation(a.incarnation, b.incarnation);
}

function format({ incarnation, ...rest }: PidRecord): string {
  const { pid, ...life } = incarnation;
  return `${pid}\n${JSON.stringify({ ...life, ...rest })}\n`;
}
