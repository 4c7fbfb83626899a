import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { expandTilde } from "../../agent/home.ts";
import { parseListen } from "../../config/listen.ts";
import { homeAt } from "../../home/home.ts";
import { InstallError } from "../../home/install-error.ts";
import type { Program } from "../../home/program.ts";

/** What every installation may be told. */
export interface InstallOptions {
  readonly home?: string | undefined;
  readonly config?: string | undefined;
  readonly listen?: string | undefined;
  readonly program?: Program;
  readonly env?: NodeJS.ProcessEnv;
}

/** What was done, in sentences for people. */
export interface InstallOutcome {
  readonly changed: boolean;
  readonly said: readonly string[];
}

/** The home if somebody named one: services know nothing of the environment of the person who installs. */
export function namedHome({ home, env = process.env }: InstallOptions): string | undefined {
  const named = home ?? env.ROLLCALL_HOME;
  return named === undefined || named === "" ? undefined : homeAt(named).path;
}

/** The config file if one was named, as a path that is right from everywhere. */
export function namedConfig({ config, env = process.env }: InstallOptions): string | undefined {
  if (config === undefined) return undefined;
  const path = resolve(expandTilde(config, env));
  checkReadable(path, new InstallError("bad-program", `cannot read the config file ${path}`));
  return path;
}

/** Throws the problem if a file cannot be read. */
export function checkReadable(path: string, problem: InstallError): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (cause) {
    problem.cause = cause;
    throw problem;
  }
}

/** The address if somebody named one, checked. */
export function namedListen({ listen, env = process.env }: InstallOptions): string | undefined {
  const named = listen ?? env.ROLLCALL_LISTEN;
  if (named === undefined || named === "") return undefined;
  parseListen(named, listen === undefined ? "ROLLCALL_LISTEN" : "--listen");
  return named;
}
