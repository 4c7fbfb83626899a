import { stringify } from "yaml";
import { redact } from "../../core/redact.ts";
import type { Imported } from "./imported.ts";

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
