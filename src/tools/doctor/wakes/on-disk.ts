import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { FileNeed } from "./needs.ts";
import { assignmentIn } from "./shell.ts";

/** What is wrong with something that a command needs. */
export interface Lack {
  readonly says: string;
  /** True if this user may not even look: then nothing is known. */
  readonly hidden: boolean;
}

/** Looks whether what a command needs is there and can be used; undefined if it can. */
export function lackOf({ kind, name, path }: FileNeed): Lack | undefined {
  if (kind === "program") return lackOfProgram(name, path);
  if (kind === "output") return lackOfFolder(dirname(name), `the folder of ${name}`);
  if (kind === "folder") return lackOfFolder(name, `the folder ${name}`);
  const found = look(name);
  // Node takes `node main` for main.js.
  if (!("stats" in found)) return kind === "script" && "stats" in look(`${name}.js`) ? undefined : found.lack;
  return may(name, constants.R_OK) ? undefined : lack(`${name} cannot be read`);
}

function lackOfProgram(name: string, path: string): Lack | undefined {
  const file = name.includes("/") ? name : onPath(name, path);
  if (file === undefined)
    return lack(`there is no program "${name}" in its PATH (${path || "which is empty"})`);
  const found = look(file);
  if (!("stats" in found)) return found.lack;
  if (!found.stats.isFile()) return lack(`${file} is not a file`);
  if (!may(file, constants.X_OK)) return lack(`${file} cannot be executed`);
  return lackOfInterpreter(file, path);
}

/** A script needs what its first line names; `env node` looks in the PATH of cron, not of the shell. */
function lackOfInterpreter(file: string, path: string): Lack | undefined {
  const [interpreter, ...given] = firstLine(file);
  if (interpreter === undefined) return undefined;
  const inner = interpreter.endsWith("/env")
    ? given.find((word) => !word.startsWith("-") && assignmentIn(word) === undefined)
    : undefined;
  for (const needed of [interpreter, inner]) {
    if (needed === undefined) continue;
    const there = needed.includes("/") ? needed : onPath(needed, path);
    if (there === undefined) return lack(`${file} needs "${needed}", which is not in its PATH (${path})`);
    const found = look(there);
    if (!("stats" in found)) return lack(`${file} needs ${needed}, which does not exist`);
    if (!may(there, constants.X_OK)) return lack(`${file} needs ${needed}, which cannot be executed`);
  }
  return undefined;
}

/** The words after `#!`. */
function firstLine(file: string): readonly string[] {
  const buffer = Buffer.alloc(256);
  let size: number;
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    size = readSync(descriptor, buffer, 0, buffer.length, 0);
    closeSync(descriptor);
  } catch {
    // A program that may be run but not read is no script.
    return [];
  }
  const text = buffer.toString("latin1", 0, size);
  return text.startsWith("#!") ? (text.slice(2).split("\n")[0] ?? "").trim().split(/\s+/) : [];
}

function onPath(name: string, path: string): string | undefined {
  return path
    .split(":")
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find(
      (file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true && may(file, constants.X_OK),
    );
}

function lackOfFolder(folder: string, called: string): Lack | undefined {
  const found = look(folder);
  if (!("stats" in found)) return found.lack.hidden ? found.lack : lack(`${called} does not exist`);
  return found.stats.isDirectory() ? undefined : lack(`${called} is not a folder`);
}

function look(file: string): { readonly stats: Stats } | { readonly lack: Lack } {
  try {
    return { stats: statSync(file) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EACCES") return { lack: { says: `this user may not look at ${file}`, hidden: true } };
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return {
      lack: lack(isLink ? `${file} is a link to a file that does not exist` : `${file} does not exist`),
    };
  }
}

function may(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}

function lack(says: string): Lack {
  return { says, hidden: false };
}
