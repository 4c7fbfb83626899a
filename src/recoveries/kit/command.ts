import { closeSync, existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Millis } from "../../core/duration.ts";
import { type ExtraEnvironment, environmentFor } from "../../core/environment.ts";
import type { Command, CommandLine } from "../../core/recovery/ladder.ts";
import type { Target } from "../../ports/recovery.ts";
import { type Group, startGroup } from "../../system/exec.ts";
import { openToAppend } from "../../system/files.ts";

/** A log that has grown beyond this is put aside. */
const LARGEST_LOG = 10 * 1024 * 1024;

/** How a command went: it ended, it runs on, or it could not be started. */
export type Went =
  | { readonly how: "ended"; readonly exit: string; readonly ok: boolean }
  | { readonly how: "runs"; readonly pid: number }
  | { readonly how: "unstarted"; readonly problem: string };

export function argvOf(line: CommandLine): readonly [string, ...string[]] {
  return typeof line === "string" ? ["/bin/sh", "-c", line] : line;
}

/** Where the output of the commands of a kind goes. */
function logOf(home: string, agent: string, kind: string): string {
  const folder = join(home, "logs");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${agent}.${kind}.log`);
  if (existsSync(file) && statSync(file).size > LARGEST_LOG) renameSync(file, `${file}.1`);
  return file;
}

export function environmentOf(
  extra: ExtraEnvironment,
  home: string,
  { agent, incident, aim }: Target,
): NodeJS.ProcessEnv {
  return {
    ...environmentFor(process.env, extra),
    ROLLCALL_HOME: home,
    ROLLCALL_AGENT: agent.id,
    ROLLCALL_INCIDENT: incident,
    ROLLCALL_STATE: aim.state,
    ROLLCALL_REASON: aim.reason,
  };
}

/**
 * Starts a command in a session of its own, with its output in a file, so that it outlives us; waits for its end so
 * long and no longer. With `ends` it must not run on: then it is killed.
 */
export function start(
  { command, cwd = homedir(), ...extra }: Command,
  target: Target,
  how: {
    readonly home: string;
    readonly kind: string;
    readonly wait: Millis;
    readonly ends: boolean;
    readonly abort: AbortSignal;
  },
): Promise<Went> {
  const { home, kind, wait, ends, abort } = how;
  return new Promise((done) => {
    let child: Group;
    try {
      const fd = openToAppend(logOf(home, target.agent.id, kind));
      const env = environmentOf(extra, home, target);
      child = startGroup(argvOf(command), { cwd: expanded(cwd), env, stdio: ["ignore", fd, fd] });
      closeSync(fd);
    } catch (error) {
      return done({ how: "unstarted", problem: error instanceof Error ? error.message : String(error) });
    }
    const over = (went: Went) => {
      clearTimeout(timer);
      abort.removeEventListener("abort", late);
      done(went);
    };
    const late = () => {
      if (!ends) return over({ how: "runs", pid: child.pid ?? 0 });
      child.kill();
      over({ how: "ended", exit: "did not end in time and was killed", ok: false });
    };
    const timer = setTimeout(late, wait);
    abort.addEventListener("abort", late);
    void child.ended.then(({ code, signal, failure }) => {
      if (failure !== undefined) return over({ how: "unstarted", problem: failure.message });
      over({ how: "ended", exit: code === null ? `signal ${signal}` : `exit ${code}`, ok: code === 0 });
    });
    if (abort.aborted) late();
    child.unref();
  });
}

export function expanded(folder: string): string {
  return folder === "~" || folder.startsWith("~/") ? join(homedir(), folder.slice(1)) : folder;
}
