import { environmentFor } from "../../core/environment.ts";
import { runNow } from "../../system/exec.ts";

const TIME = 5000;

/** What git says in a folder; nothing where there is no git, or no working copy. */
export function askGit(folder: string, ...args: readonly string[]): string {
  const env = environmentFor(process.env);
  const { status, stdout } = runNow("git", args, { cwd: folder, timeout: TIME, env });
  return status === 0 ? stdout.toString("utf8") : "";
}
