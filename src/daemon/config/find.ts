import { lstatSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "./config-error.ts";

const NAMES = ["rollcall.yaml", "rollcall.yml", "rollcall.json", "gateway.json"];

/** The file that holds the config: the one that was named, or the one in the home, or none. */
export function configFileIn(home: string, named: string | undefined): string | undefined {
  if (named !== undefined) return named;
  const found = NAMES.map((name) => join(home, name)).filter(isThere);
  const [first, second] = found;
  if (first !== undefined && second !== undefined) {
    throw new ConfigError(first, [`there is also ${second}; keep one of them`]);
  }
  return first;
}

/** A link that leads nowhere is there: somebody means it to be a config. */
function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR") return false;
    throw new ConfigError(file, [cannotRead(code)], { cause: error });
  }
}

export function cannotRead(code: string | undefined): string {
  return code === "ENOENT"
    ? "there is no such file"
    : `it cannot be read (${code}); expected a file that this user may read`;
}
