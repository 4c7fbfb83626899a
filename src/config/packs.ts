import { resolve } from "node:path";
import { expandTilde } from "../agent/home.ts";
import {
  checkPacks,
  completed,
  exampleProblems,
  PackError,
  type PackSource,
  parsePack,
} from "../signals/screens/packs.ts";
import { readText } from "./find.ts";

const LARGEST = 4 * 1024 * 1024;

/** What came of reading the user's rule packs: the good ones, and a sentence for each thing that is wrong. */
export interface ReadPacks {
  readonly packs: readonly PackSource[];
  readonly problems: readonly string[];
}

/** Reads the rule packs that the config names, relative to its folder. Each rule's examples are tried. */
export function readPacks(paths: readonly string[], folder: string): ReadPacks {
  const packs: PackSource[] = [];
  const problems: string[] = [];
  for (const [index, path] of paths.entries()) {
    const file = resolve(folder, expandTilde(path));
    const said = tell(() => {
      const source = parsePack(textOf(file), file);
      const wrong = exampleProblems(completed(source)).map((problem) => `${file}: ${problem}`);
      if (wrong.length > 0) throw new PackError(wrong.join("\n"));
      packs.push(source);
    });
    // A pattern that is none is named by its pack, which may not be called like its file.
    problems.push(...said.map((one) => `packs[${index}]: ${one.startsWith(file) ? one : `${file}: ${one}`}`));
  }
  // What a pack defines also stands for its name in our own rules.
  if (packs.length > 0 && problems.length === 0)
    problems.push(...tell(() => checkPacks(packs)).map((one) => `packs: ${one}`));
  return { packs, problems };
}

function tell(attempt: () => unknown): readonly string[] {
  try {
    attempt();
    return [];
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    return error.message.split("\n");
  }
}

function textOf(file: string): string {
  try {
    return readText(file, LARGEST);
  } catch (error) {
    throw new PackError(`${file}: ${(error as Error).message}`);
  }
}
