import type { Command, Option } from "commander";
import { given } from "../core/given.ts";
import { STATES } from "../core/liveness/state.ts";
import { operationsOf } from "../service/connect.ts";
import { callTheRoll } from "./output/roll.ts";
import { plain } from "./output/terminal.ts";

// What a shell offers while somebody types. The scripts of `rollcall completions` ask for it.

/** Commands and options that name an agent. */
const AGENT = /^(?:agent|id)$/;

/** The candidates for the last of these words, one a line with what it means. */
export async function complete(
  words: readonly string[],
  commands: readonly string[],
  load: (name: string) => Promise<Command | undefined>,
): Promise<void> {
  const found = await candidates(words, commands, load);
  const prefix = words.at(-1) ?? "";
  for (const [word, what] of found)
    if (word.startsWith(prefix)) process.stdout.write(`${word}\t${plain(what)}\n`);
}

type Candidates = readonly (readonly [word: string, what: string])[];

async function candidates(
  words: readonly string[],
  commands: readonly string[],
  load: (name: string) => Promise<Command | undefined>,
): Promise<Candidates> {
  const before = words.slice(0, -1);
  const at = before.findIndex((word) => commands.includes(word));
  const prefix = words.at(-1) ?? "";
  if (at < 0) return prefix.startsWith("-") ? COMMON : commands.map((name) => [name, ""] as const);
  let command = await load(before[at] ?? "");
  if (command === undefined) return [];
  let rest = before.slice(at + 1);
  for (;;) {
    const inner: Command | undefined = command.commands.find((each) => each.name() === rest[0]);
    if (inner === undefined) break;
    command = inner;
    rest = rest.slice(1);
  }
  const option = optionOf(command, before.at(-1) ?? "");
  if (option !== undefined && (option.required || option.optional)) return valuesOf(option, words);
  if (prefix.startsWith("-")) return [...optionsOf(command), ...COMMON];
  if (command.commands.length > 0 && positionals(command, rest).length === 0)
    return command.commands.map((inner) => [inner.name(), inner.description()] as const);
  const argument = command.registeredArguments[positionals(command, rest).length];
  if (argument?.argChoices !== undefined) return argument.argChoices.map((word) => [word, ""] as const);
  if (argument === undefined || !AGENT.test(argument.name())) return [];
  const group = argument.name() === "id" ? (command.parent?.name() ?? "") : "";
  return (IDS[group] ?? agentIds)(words);
}

/** Groups of commands whose ids are not those of agents. */
const IDS: Readonly<Record<string, (words: readonly string[]) => Promise<Candidates>>> = {
  silence: (words) =>
    read(async () => {
      const silences = await operationsOf(whereOf(words)).silences();
      return silences.map(({ id, agents, why }) => [id, why === "" ? agents : `${agents}: ${why}`] as const);
    }),
  incidents: (words) =>
    read(async () => {
      const { items } = await operationsOf(whereOf(words)).incidents({ which: "open" }, { limit: 200 });
      return items.map(({ id, state }) => [id, state] as const);
    }),
  work: async () => [],
  token: async () => [],
};

const COMMON: Candidates = [
  ["--home", "the folder with Rollcall's files"],
  ["--config", "the config file"],
  ["--help", "show the help"],
];

function optionsOf(command: Command): Candidates {
  return command.options.flatMap(({ long, description }) => (long == null ? [] : [[long, description]]));
}

function optionOf(command: Command, word: string): Option | undefined {
  return command.options.find(({ long, short }) => word === long || word === short);
}

/** The words that are neither options nor their values. */
function positionals(command: Command, words: readonly string[]): readonly string[] {
  return words.filter((word, index) => {
    if (word.startsWith("-")) return false;
    const option = optionOf(command, words[index - 1] ?? "");
    const isCommon = /^--(?:home|config)$/.test(words[index - 1] ?? "");
    return !isCommon && !(option !== undefined && (option.required || option.optional));
  });
}

async function valuesOf(option: Option, words: readonly string[]): Promise<Candidates> {
  if (option.argChoices !== undefined) return option.argChoices.map((word) => [word, ""] as const);
  if (option.long === "--state" || option.long === "--for") return Object.entries(STATES);
  return option.long === "--agent" ? agentIds(words) : [];
}

/** The agents on the roll now; none if it cannot be called. */
function agentIds(words: readonly string[]): Promise<Candidates> {
  return read(async () => {
    const { agents } = await callTheRoll(whereOf(words));
    return agents.map(({ id, state }) => [id, state] as const);
  });
}

function whereOf(words: readonly string[]) {
  const named = (flag: string) => {
    const at = words.indexOf(flag);
    return at < 0 ? undefined : words[at + 1];
  };
  return given({ home: named("--home"), config: named("--config") });
}

/** What cannot be read is not offered: a shell that completes says nothing of it. */
function read(candidates: () => Promise<Candidates>): Promise<Candidates> {
  return candidates().catch(() => []);
}
