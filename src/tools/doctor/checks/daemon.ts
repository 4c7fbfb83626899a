import { existsSync } from "node:fs";
import { quoted } from "../../../core/quoted.ts";
import { Crashes, crashNow } from "../../../home/crashes.ts";
import type { Home } from "../../../home/home.ts";
import { LockedPidFile } from "../../../home/pid-file.ts";
import type { PidRecord } from "../../../home/pid-record.ts";
import { Writer } from "../../../home/store.ts";
import { ask } from "../../../service/client.ts";
import { hubInCharge } from "../../../store/registry.ts";
import { incarnationOf, programName } from "../../../system/proc.ts";
import { VERSION } from "../../../system/version.ts";
import {
  type Check,
  type CheckContext,
  type CheckFinding,
  fail,
  note,
  ok,
  sayError,
  warn,
} from "../check.ts";

export const daemonCheck: Check = {
  name: "daemon",
  looksAt: "the process of the PID file runs and answers at `/healthz`; without a PID file, no watcher runs",
  worst: "error",
  async run(context) {
    const { home, command } = context;
    const pidFile = new LockedPidFile(home.pidFile);
    const record = pidFile.read();
    const start = `Start it: ${command("daemon start")}`;
    if (record === undefined) {
      const hub = await hubInCharge(home.store);
      const says = existsSync(home.pidFile)
        ? `${home.pidFile} is not a valid PID file, and no watcher is known to run`
        : hub === undefined
          ? "no watcher runs in this home, so no agent is watched"
          : `no watcher runs in this home; hub ${hub.id} (${hub.url}) watches the agents of its database, and this home cannot take over`;
      return [warn(says, start)];
    }
    if (pidFile.holder() === undefined) return [notThere(pidFile, record, home, start)];
    return lookAtWatcher(record, context);
  },
};

/** The file is stale only where the system tells lives apart: elsewhere a pid is all that is known. */
function notThere(pidFile: LockedPidFile, record: PidRecord, home: Home, start: string): CheckFinding {
  const { pid } = record.incarnation;
  if (incarnationOf(process.pid) === undefined) {
    return note(
      "the doctor cannot tell on this system whether the watcher runs",
      `Look at the process: ps -p ${pid}`,
    );
  }
  if (Writer.isTaken(home)) {
    const says = `a watcher in another container uses this home: it holds ${home.writerLock}, and process ${pid} from ${home.pidFile} cannot be seen from here`;
    return warn(says, `Find it from the host: fuser ${quoted(home.writerLock)}`);
  }
  const other = incarnationOf(pid) === undefined ? undefined : (programName(pid) ?? "another program");
  const says =
    other === undefined
      ? `the watcher is dead: process ${pid}, started ${record.startedAt}, is gone and left ${home.pidFile} behind`
      : `${home.pidFile} is stale: the watcher started ${record.startedAt} is gone, and process ${pid} is now ${other}`;
  // It is removed under its lock, and only if it still names the life that is gone. It is also what tells of the
  // crash, so that is put on record first.
  const apply = () => {
    new Crashes(home.path).record(crashNow(record.incarnation, Date.parse(record.startedAt)));
    pidFile.remove(record);
  };
  const fix = { did: `recorded the crash and removed the stale PID file ${home.pidFile}`, apply };
  return { level: "error", says, todo: start, fix };
}

async function lookAtWatcher(
  record: PidRecord,
  { home, command }: CheckContext,
): Promise<readonly CheckFinding[]> {
  const { url, version } = record;
  const { pid } = record.incarnation;
  const restart = `Restart it (agents keep running): ${command("daemon restart")}`;
  if (url === undefined) {
    const says = `process ${pid} runs, but does not listen yet`;
    return [warn(says, `Look again in a moment: ${command("doctor")}`)];
  }
  try {
    await ask(home, url, "GET", "/healthz");
  } catch (error) {
    const blind = (error as { status?: number }).status === 503;
    if (blind) {
      const todo = `Read its log: tail ${quoted(home.log)}`;
      return [fail(`process ${pid} runs, but cannot store anything`, todo)];
    }
    const says = `process ${pid} runs, but does not answer at ${url}: ${sayError(error)}`;
    return [fail(says, restart)];
  }
  if (version !== VERSION)
    return [
      warn(`the running watcher is version ${version}, and this command is version ${VERSION}`, restart),
    ];
  return [ok(`process ${pid} answers at ${url}`)];
}
