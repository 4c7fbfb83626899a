import { loadConfig } from "../config/load.ts";
import { storedIn } from "../config/stored-home.ts";
import { type Crash, crashNow } from "../home/crashes.ts";
import { homeAt } from "../home/home.ts";
import { unrecordedEnd } from "../home/last-crash.ts";
import { withStore } from "../home/store.ts";
import type { DaemonOptions } from "./manager.ts";

/** The end of a daemon that left its PID file behind and that is not on record: the next one that starts records it. */
export async function freshCrash({ home: named, config: file }: DaemonOptions): Promise<Crash | undefined> {
  const folder = homeAt(named);
  const record = unrecordedEnd(folder);
  if (record === undefined) return undefined;
  const config = await loadConfig(folder.path, file).catch(() => undefined);
  const home = config === undefined ? folder : storedIn(folder, config);
  const mark = await withStore(home, (store) => store.lastMark(), { here: true }).catch(() => undefined);
  return crashNow(record.incarnation, Math.max(Date.parse(record.startedAt), mark?.at ?? 0));
}
