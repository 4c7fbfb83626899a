import type { Job } from "./crontab-lines.ts";

/** The jobs of a crontab that name a file or a folder, or something below it. */
export function jobsNaming(jobs: readonly Job[], path: string, home: string): readonly Job[] {
  return jobs.filter(({ command }) => names(command, path, home));
}

function names(command: string, path: string, home: string): boolean {
  const whole = command.replaceAll(/(?<![\w/])(?:~|\$HOME|\$\{HOME\})(?=\/)/g, home);
  for (let at = whole.indexOf(path); at >= 0; at = whole.indexOf(path, at + 1)) {
    const [before = "", after = ""] = [whole[at - 1], whole[at + path.length]];
    if (/^[^\w./-]?$/.test(before) && /^[^\w.-]?$/.test(after)) return true;
  }
  return false;
}
