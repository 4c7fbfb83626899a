import { statSync } from "node:fs";
import { sameIncarnation } from "../core/beat.ts";
import { type Crash, Crashes, crashNow } from "./crashes.ts";
import type { Home } from "./home.ts";
import { PidFileReader, type PidRecord } from "./pid-record.ts";

/** Whose PID file is still there although it is gone, if that is not on record yet. */
export function unrecordedEnd(home: Home): PidRecord | undefined {
  const pidFile = new PidFileReader(home.pidFile);
  const record = pidFile.read();
  if (record === undefined || pidFile.isAlive(record)) return undefined;
  const known = new Crashes(home.path).all();
  return known.some((each) => sameIncarnation(each.incarnation, record.incarnation)) ? undefined : record;
}

/** The last crash, also one that no daemon has recorded yet: that one is dated by when its store was last written. */
export function lastCrash(home: Home): Crash | undefined {
  const record = unrecordedEnd(home);
  if (record === undefined) return new Crashes(home.path).last();
  const written = statSync(`${home.database}-wal`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return crashNow(record.incarnation, Math.max(Date.parse(record.startedAt), Math.trunc(written)));
}
