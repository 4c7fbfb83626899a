import { execFileSync } from "node:child_process";
import { environmentFor } from "../../core/environment.ts";

const TIME = 5000;

/** What git says in a folder; nothing where there is no git, or no working copy. */
export function askGit(folder: string, ...args: readonly string[]): string {
  try {
    return execFileSync("git", args, {
      ...{ cwd: folder, timeout: TIME, encoding: "utf8" },
      env: environmentFor(process.env),
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return "";
  }
}
