import { join } from "node:path";
import { placeFile } from "../agent/place-file.ts";
import { type Incarnation, sameIncarnation } from "../core/beat.ts";
import { iso, MINUTE, type Millis, SECOND } from "../core/duration.ts";
import { jsonLines } from "./store-events.ts";

/** An end of the daemon that was not a clean one. */
export interface Crash {
  /** When it was last known to live. */
  readonly at: string;
  readonly noticedAt: string;
  readonly incarnation: Incarnation;
  /** What ended it, where it could still say so. */
  readonly cause?: string;
}

/** So many crashes within so long are a loop. */
const LOOP = 5;
const WINDOW: Millis = 10 * MINUTE;
const KEPT = 1000;
const LARGEST = 16 * 1024 * 1024;
const LONGEST_WAIT: Millis = 5 * MINUTE;

/** The crashes of a home's daemon, one line each, so that they can be read with no daemon and no database. */
export class Crashes {
  readonly #file: string;

  constructor(home: string) {
    this.#file = join(home, "crashes.jsonl");
  }

  /** Oldest first. */
  all(): readonly Crash[] {
    const lines = jsonLines(this.#file, LARGEST) as Crash[];
    return lines.filter((line) => typeof line?.noticedAt === "string");
  }

  last(): Crash | undefined {
    return this.all().at(-1);
  }

  /** Records a crash, unless that life's end is on record already. */
  record(crash: Crash): void {
    const known = this.all();
    if (known.some(({ incarnation }) => sameIncarnation(incarnation, crash.incarnation))) return;
    const kept = [...known, crash].slice(-KEPT).map((each) => `${JSON.stringify(each)}\n`);
    placeFile(`${this.#file}.${process.pid}.tmp`, this.#file, kept.join(""), true);
  }

  /** How many crashes were noticed within the last ten minutes. */
  recent(now: number): number {
    return this.all().filter(({ noticedAt }) => now - Date.parse(noticedAt) < WINDOW).length;
  }

  isLooping(now: number): boolean {
    return this.recent(now) >= LOOP;
  }

  /** How long a start by cron has to wait: nothing at first, then 10 s, doubling up to 5 minutes. */
  waitBeforeStart(now: number): Millis {
    const recent = this.recent(now);
    const last = this.last();
    if (recent < LOOP || last === undefined) return 0;
    const wait = Math.min(LONGEST_WAIT, 10 * SECOND * 2 ** (recent - LOOP));
    return Math.max(0, Date.parse(last.noticedAt) + wait - now);
  }
}

/** A crash that is noticed now. */
export function crashNow(incarnation: Incarnation, at: number, cause?: string): Crash {
  return { at: iso(at), noticedAt: iso(Date.now()), incarnation, ...(cause === undefined ? {} : { cause }) };
}
