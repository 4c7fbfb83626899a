import { statfsSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { SECOND } from "../../core/duration.ts";
import { hostName } from "../../home/home.ts";
import { type Runner, run, runProgram } from "../../system/exec.ts";
import { programNames } from "../../system/proc.ts";

/** The crontab of the user, or why there is none. */
export type UserCrontab =
  | { readonly text: string }
  | { readonly none: "empty" | "no-program" }
  | { readonly problem: string };

export interface DiskSpace {
  readonly free: number;
  readonly total: number;
  /** How many more files it can hold; undefined where the file system has no such limit. */
  readonly freeFiles: number | undefined;
}

/** What the checks ask the machine. Only reading: nothing in here changes anything. */
export interface Host {
  /** Its name as beats carry it. */
  readonly name: string;
  readonly user: string;
  readonly userHome: string;
  /** The user's own folders of systemd units, the strongest first. */
  readonly userUnitFolders: readonly string[];
  /** The programs that run; undefined where the system hides the processes of others. */
  programs(): ReadonlySet<string> | undefined;
  /** A system-wide path, such as `/etc/crontab`. */
  system(path: string): string;
  crontab(): Promise<UserCrontab>;
  diskSpace(path: string): DiskSpace;
  /** Runs a program that only tells something, such as `tmux list-panes`. */
  readonly run: Runner;
}

/**
 * This machine as a process with this environment sees it. `ROLLCALL_DOCTOR_ROOT` stands for `/` where
 * system-wide crontabs, units and processes are looked for, so that a test does not depend on its machine.
 */
export function hostOf(env: NodeJS.ProcessEnv): Host {
  const userHome = env.HOME || homedir();
  const root = env.ROLLCALL_DOCTOR_ROOT || "/";
  const config = env.XDG_CONFIG_HOME || join(userHome, ".config");
  const data = env.XDG_DATA_HOME || join(userHome, ".local", "share");
  let crontab: Promise<UserCrontab> | undefined;
  return {
    name: hostName(),
    user: userName(env),
    userHome,
    userUnitFolders: [
      join(config, "systemd", "user"),
      ...(env.XDG_RUNTIME_DIR ? [join(env.XDG_RUNTIME_DIR, "systemd", "user")] : []),
      join(data, "systemd", "user"),
    ],
    programs: () => programNames(join(root, "proc")),
    system: (path) => join(root, path),
    crontab() {
      crontab ??= readCrontab(env);
      return crontab;
    },
    diskSpace,
    run: runProgram,
  };
}

/** A container may run us under a number that has no name. */
function userName(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch {
    return env.USER || String(process.getuid?.() ?? "");
  }
}

async function readCrontab(env: NodeJS.ProcessEnv): Promise<UserCrontab> {
  const ran = await run("crontab", ["-l"], { env: { ...env, LC_ALL: "C" }, timeout: 10 * SECOND });
  if (ran.how === "missing") return { none: "no-program" };
  if (ran.how === "failed") return ran;
  const { status, stdout, stderr } = ran;
  if (status === 0) return { text: stdout };
  return /no crontab for/i.test(stderr) ? { none: "empty" } : { problem: stderr.trim() || `exit ${status}` };
}

function diskSpace(path: string): DiskSpace {
  const { bsize, blocks, bavail, files, ffree } = statfsSync(path);
  return { free: bavail * bsize, total: blocks * bsize, freeFiles: files > 0 ? ffree : undefined };
}
