import { rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expandTilde } from "../../agent/home.ts";
import { sameIncarnation } from "../../core/beat.ts";
import { iso } from "../../core/duration.ts";
import { LockedPidFile as OwnPidFile } from "../../home/pid-file.ts";
import type { PidRecord } from "../../home/pid-record.ts";
import { makeFolder } from "../../system/files.ts";
import { incarnationOf } from "../../system/proc.ts";
import { VERSION } from "../../system/version.ts";

/**
 * A PID file for other programs. It also holds when the process was started and in which boot: a pid that another program
 * got later is not taken for the first one. Its first line is the bare pid, for tools that expect one.
 */
export class PidFile {
  readonly path: string;
  readonly #file: OwnPidFile;
  #written: PidRecord | undefined;

  constructor(path: string) {
    this.path = resolve(expandTilde(path));
    this.#file = new OwnPidFile(this.path);
  }

  /** Takes the file for a running process. Rejects with an `AlreadyRunningError` while another process holds it. */
  async write(pid: number): Promise<void> {
    const incarnation = Number.isSafeInteger(pid) && pid > 0 ? incarnationOf(pid) : undefined;
    if (incarnation === undefined)
      throw new RangeError(`pid is ${pid}; expected the number of a running process, such as process.pid`);
    makeFolder(dirname(this.path));
    const record = { incarnation, startedAt: iso(Date.now()), version: VERSION };
    const holder = this.#file.holder();
    // A daemon's own file says more than we would write.
    if (holder === undefined || !sameIncarnation(holder.incarnation, incarnation)) this.#file.write(record);
    this.#written = record;
  }

  /** The pid of the process that holds the file; null if there is none, or that process is gone. */
  async read(): Promise<number | null> {
    return this.#file.holder()?.incarnation.pid ?? null;
  }

  /** Removes the file. It leaves the file of another running process alone. */
  async remove(): Promise<void> {
    const record = this.#file.read();
    if (record === undefined) rmSync(this.path, { force: true });
    else if (this.#isOurs(record) || !this.#file.isAlive(record)) this.#file.remove(record);
  }

  #isOurs({ incarnation }: PidRecord): boolean {
    return incarnation.pid === process.pid || sameIncarnation(this.#written?.incarnation, incarnation);
  }

  /** Whether a running process holds the file. */
  async exists(): Promise<boolean> {
    return this.#file.exists();
  }
}
