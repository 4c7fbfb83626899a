import { readFileSync } from "node:fs";
import type { Command, HelpConfiguration } from "commander";

/** A command as the help lists it. */
interface ListedCommand {
  readonly name: string;
  readonly term: string;
  readonly description: string;
}

/** The commands of a program, for the file that the build keeps. */
export function listOf(program: Command): readonly ListedCommand[] {
  const help = program.createHelp();
  return program.commands.map((command) => ({
    name: command.name(),
    term: help.subcommandTerm(command),
    description: help.subcommandDescription(command),
  }));
}

/** What the build kept; undefined where Rollcall runs from its source, or is being built. */
export function commandsKept(): readonly ListedCommand[] | undefined {
  try {
    return JSON.parse(readFileSync(new URL("./commands.json", import.meta.url), "utf8"));
  } catch {
    return undefined;
  }
}

/** How the help lists commands that are not loaded. The command `help` itself is always there. */
export function helpOfKept(kept: readonly ListedCommand[]): HelpConfiguration {
  const found = (command: Command) => kept.find(({ name }) => name === command.name());
  return {
    subcommandTerm: (command) => found(command)?.term ?? "help [command]",
    subcommandDescription: (command) => found(command)?.description ?? command.description(),
  };
}
