import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { expandTilde } from "../../agent/home.ts";
import type { ProbeSettings } from "../../config/sections/ticks.ts";
import { sayDuration } from "../../core/duration.ts";
import { LockedPidFile } from "../../home/pid-file.ts";
import { systemClock } from "../../system/clock.ts";
import { startGroup } from "../../system/exec.ts";
import { readNamedFile } from "../../system/files.ts";
import { askHttp, isGood } from "../../system/http.ts";
import { incarnationOf } from "../../system/proc.ts";

/** Whether something holds, and why not. The reason names no address and no output: they may contain secrets. */
export type Probed = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** For whom it is looked. Commands find the agent and its home in their environment. */
export interface ProbeScene {
  readonly agent: string;
  readonly home?: string | undefined;
  /** The environment of commands. */
  readonly env: NodeJS.ProcessEnv;
}

export const OK: Probed = { ok: true };
export const failed = (why: string): Probed => ({ ok: false, why });

export async function probe(settings: ProbeSettings, scene: ProbeScene): Promise<Probed> {
  const { command, url, file, pidFile, timeout } = settings;
  const named = (text: string): string => text.replaceAll("{agent}", scene.agent);
  const path = (text: string): string => resolve(scene.home ?? ".", expandTilde(named(text)));
  if (command !== undefined) return runs(command, timeout, scene);
  if (url !== undefined) return answers(named(url), timeout);
  if (pidFile !== undefined) return lives(path(pidFile));
  return file === undefined ? failed("nothing to look for") : exists(path(file));
}

/** In a process group of its own, so that what does not end in time ends whole. */
async function runs(command: string, timeout: number, { agent, home, env }: ProbeScene): Promise<Probed> {
  const named = { ROLLCALL_AGENT: agent, ...(home === undefined ? {} : { ROLLCALL_AGENT_HOME: home }) };
  const child = startGroup(["/bin/sh", "-c", command], { stdio: "ignore", env: { ...env, ...named } });
  let late = false;
  const cancel = systemClock.after(timeout, () => {
    late = true;
    child.kill();
  });
  const { code, signal, failure } = await child.ended;
  cancel();
  if (late) return failed(`the command did not end within ${sayDuration(timeout)}`);
  if (failure !== undefined) return failed("the command could not be run");
  if (code === 0) return OK;
  return failed(code === null ? `the command was ended by ${signal}` : `the command ended with ${code}`);
}

async function answers(url: string, timeout: number): Promise<Probed> {
  const answer = await askHttp({ url, most: 0, timeout, follow: true });
  if ("status" in answer) return isGood(answer) ? OK : failed(`the address answered ${answer.status}`);
  return failed(
    answer.failure === "timeout"
      ? `no answer within ${sayDuration(timeout)}`
      : `no answer (${answer.failure})`,
  );
}

function exists(path: string): Probed {
  return existsSync(path) ? OK : failed("the file does not exist");
}

/** A PID file of ours names one life of a process; one of others only its number. */
function lives(path: string): Probed {
  const file = new LockedPidFile(path);
  if (file.read() !== undefined) return file.exists() ? OK : failed("the process of the PID file is gone");
  try {
    const pid = Number(
      readNamedFile(path, 64 * 1024)
        .toString("utf8")
        .split("\n")[0],
    );
    if (!Number.isSafeInteger(pid) || pid < 1) return failed("the PID file names no process");
    return incarnationOf(pid) === undefined ? failed("the process of the PID file is gone") : OK;
  } catch {
    return failed("there is no PID file");
  }
}
