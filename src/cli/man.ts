import type { Command } from "commander";

/** The manual page of the whole command line, made from the help of each command. */
export function manualPage(program: Command, version: string): string {
  return [
    `.TH ROLLCALL 1 "" "rollcall ${version}"`,
    ".SH NAME",
    "rollcall \\- watches a fleet of agents",
    ".SH SYNOPSIS",
    "rollcall COMMAND [OPTIONS]",
    ".SH DESCRIPTION",
    ...verbatim(helpOf(program)),
    ".SH COMMANDS",
    ...sections(program, "rollcall"),
    ".SH SEE ALSO",
    "rollcall-beat(1)",
    "",
  ].join("\n");
}

function sections(command: Command, name: string): readonly string[] {
  return command.commands.flatMap((inner) => {
    const full = `${name} ${inner.name()}`;
    return [`.SS ${escaped(full)}`, ...verbatim(helpOf(inner)), ...sections(inner as Command, full)];
  });
}

function helpOf(command: Command): string {
  let text = "";
  const write = (part: string) => {
    text += part;
  };
  command.configureOutput({ writeOut: write, getOutHelpWidth: () => 80, getOutHasColors: () => false });
  command.outputHelp();
  return text;
}

function verbatim(text: string): readonly string[] {
  return [".nf", ...text.trimEnd().split("\n").map(escaped), ".fi"];
}

/** A line of roff: a backslash, and a dot or quote at its begin, mean something there. */
function escaped(line: string): string {
  return line
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/, "\\&$1");
}
