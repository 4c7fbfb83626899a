import { basename, isAbsolute, resolve } from "node:path";
import {
  interpreterOf,
  isBuiltin,
  isKeyword,
  isOpaque,
  isShell,
  skipOptions,
  wrapperOf,
} from "./programs.ts";
import { assignmentIn, readShell, type Variables, type Word } from "./shell.ts";

/** Something that a command needs on the disk: a path, or the bare name of a program that PATH must lead to. */
export interface FileNeed {
  readonly kind: "program" | "script" | "file" | "folder" | "output";
  readonly name: string;
  /** The PATH in force, for programs and for what their first line asks for. */
  readonly path: string;
}

/** Where a command runs. */
export interface CommandContext {
  /** The working folder; undefined where it cannot be known. */
  readonly folder: string | undefined;
  readonly variables: Variables;
}

/** Everything that a line for the shell needs; `closed` is false if a shell would refuse it. */
export function needsOfShell(
  line: string,
  around: CommandContext,
): { needs: readonly FileNeed[]; closed: boolean } {
  const { commands, closed } = readShell(line, around.variables);
  const needs: FileNeed[] = [];
  let folder = around.folder;
  for (const { words, outputs, variables } of commands) {
    const here = { folder, variables };
    needs.push(...outputs.flatMap((output) => need("output", output, here)));
    if (words[0] === "cd") {
      const [, to = variables.get("HOME")] = words;
      needs.push(...need("folder", to, here));
      folder = to === undefined ? undefined : at(to, folder);
    } else needs.push(...needsOfWords(words, here));
  }
  return { needs, closed };
}

/** Everything that one command needs: its program, and what that is told to run in turn. */
export function needsOfWords(words: readonly Word[], around: CommandContext): readonly FileNeed[] {
  const [first, ...rest] = words;
  if (first === undefined || isOpaque(first)) return [];
  const assigned = assignmentIn(first);
  if (assigned !== undefined) {
    const variables = new Map(around.variables).set(...assigned);
    return needsOfWords(rest, { ...around, variables });
  }
  if (isKeyword(first)) return needsOfWords(rest, around);
  if (first === "." || first === "source") return need("file", rest[0], around);
  if (first === "exec") return needsOfWords(skipOptions(rest, ["-a"]), around);
  if (isBuiltin(first)) return [];
  return [...need("program", first, around), ...needsOfArguments(basename(first), rest, around)];
}

/** What a program's arguments ask for: the script of an interpreter, the command of a wrapper. */
function needsOfArguments(
  program: string,
  given: readonly Word[],
  around: CommandContext,
): readonly FileNeed[] {
  if (isRollcall(program)) return needsOfRun(given, around);
  if (isShell(program)) {
    const flag = given.findIndex(
      (word) => word === undefined || /^-[a-z]*c$/.test(word) || !/^[-+]/.test(word),
    );
    const command = given[flag + 1];
    if (given[flag]?.startsWith("-") === true)
      return command === undefined ? [] : needsOfShell(command, around).needs;
  }
  const wrapper = wrapperOf(program);
  if (wrapper !== undefined) {
    const rest = skipOptions(given, wrapper.valued).slice(wrapper.positional);
    const [flag, command] = rest;
    if (flag === "-c" || flag === "--command")
      return command === undefined ? [] : needsOfShell(command, around).needs;
    return needsOfWords(rest, around);
  }
  const interpreter = interpreterOf(program);
  if (interpreter === undefined) return [];
  const [script, ...rest] = skipOptions(given, interpreter.valued, interpreter.inline);
  if (script === undefined || script === "-") return [];
  return [
    ...need("script", script, around),
    ...(isRollcall(basename(script)) ? needsOfRun(rest, around) : []),
  ];
}

function isRollcall(name: string): boolean {
  return name === "rollcall" || name === "rollcall.js";
}

/** `rollcall run allegro -- command…`: what wakes an agent must find the agent, too. */
function needsOfRun(given: readonly Word[], around: CommandContext): readonly FileNeed[] {
  const end = given.indexOf("--");
  return end > 0 && given.slice(0, end).includes("run") ? needsOfWords(given.slice(end + 1), around) : [];
}

function need(
  kind: FileNeed["kind"],
  name: Word,
  { folder, variables }: CommandContext,
): readonly FileNeed[] {
  if (name === undefined || name === "") return [];
  const path = variables.get("PATH") ?? "";
  if (kind === "program" && !name.includes("/")) return [{ kind, name, path }];
  const file = at(name, folder);
  return file === undefined ? [] : [{ kind, name: file, path }];
}

function at(name: string, folder: string | undefined): string | undefined {
  if (isAbsolute(name)) return resolve(name);
  return folder === undefined ? undefined : resolve(folder, name);
}
