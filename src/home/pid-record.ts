import { type Incarnation, sameIncarnation } from "../core/beat.ts";
import { readOwnFile } from "../system/files.ts";
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

/** A PID file, to be read: whoever only asks for its holder needs no lock, and loads none. */
export class PidFileReader {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
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
}

function isAlive(record: PidRecord): boolean {
  return sameIncarnation(incarnationOf(record.incarnation.pid), record.incarnation);
}

function parse(text: string): PidRecord | undefined {
  const [first = "", second = ""] = text.split("\n");
  const pid = Number(first);
  if (!Number.isSafeInteger(pid) || pid < 1) return undefined;
  const { startTime, bootId, ...rest } = JSON.parse(second) as Incarnation & Omit<PidRecord, "incarnation">;
  return { incarnation: { pid, startTime: String(startTime), bootId: String(bootId) }, ...rest };
}
