import { randomBytes } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { type Incarnation, sameIncarnation } from "../core/beat.ts";
import { readOwnFile } from "../system/files.ts";
import { locked } from "../system/lock.ts";
import { incarnationOf } from "../system/proc.ts";

const LARGEST = 64 * 1024;

/** What the file says: which life of which process it belongs to, and what that process tells others. */
export interface PidRecord {
  readonly incarnation: Incarnation;
  readonly url?: string;
  readonly startedAt: string;
  readonly version: string;
  /** What it was told when it was started, beside its home: a restart tells it again. */
  readonly startedWith?: {
    readonly config?: string;
    readonly listen?: string;
    readonly pidFile?: string;
    readonly hub?: true;
  };
  /** The config file in force, if there is one. */
  readonly configFile?: string;
}

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
export class LockedPidFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Takes the file for a process, unless a living one holds it. Returns the record that a dead one left behind. */
  write(record: PidRecord): PidRecord | undefined {
    return locked(`${this.path}.lock`, () => {
      const holder = this.read();
      if (holder !== undefined && isAlive(holder) && !isSame(holder, record)) {
        throw new AlreadyRunningError(this.path, holder);
      }
      const temporary = `${this.path}.${randomBytes(6).toString("hex")}`;
      writeFileSync(temporary, format(record), { mode: 0o600, flush: true });
      renameSync(temporary, this.path);
      return holder === undefined || isSame(holder, record) ? undefined : holder;
    });
  }

  /** What the file says, or undefined if there is none or it makes no sense. */
  read(): PidRecord | undefined {
    try {
      return parse(readOwnFile(this.path, LARGEST).toString("utf8"));
    } catch {
      return undefined;
    }
  }

  /** The record of the process that holds it, if that very process still lives. */
  holder(): PidRecord | undefined {
    const record = this.read();
    return record !== undefined && isAlive(record) ? record : undefined;
  }

  /** Whether that very process still lives, whoever holds the file by now. */
  isAlive(record: PidRecord): boolean {
    return isAlive(record);
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

function isAlive(record: PidRecord): boolean {
  return sameIncarnation(incarnationOf(record.incarnation.pid), record.incarnation);
}

function isSame(a: PidRecord, b: PidRecord): boolean {
  return sameIncarnation(a.incarnation, b.incarnation);
}

function format({ incarnation, ...rest }: PidRecord): string {
  const { pid, ...life } = incarnation;
  return `${pid}\n${JSON.stringify({ ...life, ...rest })}\n`;
}

function parse(text: string): PidRecord | undefined {
  const [first = "", second = ""] = text.split("\n");
  const pid = Number(first);
  if (!Number.isSafeInteger(pid) || pid < 1) return undefined;
  const { startTime, bootId, ...rest } = JSON.parse(second) as Incarnation & Omit<PidRecord, "incarnation">;
  return { incarnation: { pid, startTime: String(startTime), bootId: String(bootId) }, ...rest };
}
