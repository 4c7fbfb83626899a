import { stringify } from "yaml";
import { redact } from "../../core/redact.ts";
import type { CronWake, Imported } from "./imported.ts";

/** The config file, with the lines for the crontab as comments below it. */
export function configText({ config }: Imported, title: string, lines: readonly string[]): string {
  const below =
    lines.length === 0
      ? ""
      : `\n# Lines for the crontab (--write writes a complete new crontab with them):\n`;
  const commented = lines.map((line) => `#   ${line}\n`).join("");
  return `# ${title}\n${stringify(config, { lineWidth: 0 })}${below}${commented}`;
}

/** What people should know besides the config. Secrets in old lines are not repeated. */
export function remarks({ canGo, notCarried, todo }: Imported): string[] {
  const old = canGo.map(({ text, line }) =>
    redact(line === undefined ? text : `crontab line ${line + 1}: ${text}`),
  );
  return [
    ...section("Remove these once Rollcall is watching:", old),
    ...section(
      "Not imported:",
      notCarried.map((line) => redact(line)),
    ),
    ...section("To do:", todo),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

/**
 * The crontab after the move: each old line that can go is gone, a new one stands in its place, so that the variables above
 * it still hold, and everything else is as it was. Undefined if nothing changes.
 */
export function newCrontab(
  old: string,
  { wakes, canGo }: Pick<Imported, "wakes" | "canGo">,
  blockOf: (wake: CronWake, before?: string) => string,
): string | undefined {
  const gone = new Set(canGo.flatMap(({ line }) => line ?? []));
  if (wakes.length === 0 && gone.size === 0) return undefined;
  const lines = old.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const kept = lines.map((line, index) => {
    const text = line.replace(/\n$/, "");
    // The first block keeps the old line, so that `rollcall uninstall` can put it back once.
    const [first, ...others] = wakes.filter(({ replaces }) => replaces === index);
    if (first !== undefined) return [blockOf(first, text), ...others.map((wake) => blockOf(wake))].join("");
    return gone.has(index) ? "" : `${text}\n`;
  });
  const added = wakes.filter(({ replaces }) => replaces === undefined).map((wake) => blockOf(wake));
  return [...kept, ...added].join("");
}
