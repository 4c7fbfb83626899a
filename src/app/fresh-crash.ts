import { loadConfig } from "../config/load.ts";
import { storedIn } from "../config/stored-home.ts";
import { sameIncarnation } from "../core/beat.ts";
import { type Crash, Crashes, crashNow } from "../home/crashes.ts";
import { homeAt } from "../home/home.ts";
import { PidFileReader } from "../home/pid-record.ts";
import { withStore } from "../home/store.ts";
import type { DaemonOptions } from "./manager.ts";

/** The end of a daemon that left its PID file behind and that is not on record: the next one that starts records it. */
export async function freshCrash({ home: named, config: file }: DaemonOptions): Promise<Crash | undefined> {
  const folder = homeAt(named);
  const pidFile = new PidFileReader(folder.pidFile);
  const record = pidFile.read();
  if (record === undefined || pidFile.isAlive(record)) return undefined;
  const { incarnation, startedAt } = record;
  const known = new Crashes(folder.path).all();
  if (known.some((each) => sameIncarnation(each.incarnation, incarnation))) return undefined;
  const config = await loadConfig(folder.path, file).catch(() => undefined);
  const home = config === undefined ? folder : storedIn(folder, config);
  const mark = await withStore(home, (store) => store.lastMark(), { here: true }).catch(() => undefined);
  return crashNow(incarnation, Math.max(Date.parse(startedAt), mark?.at ?? 0));
}
