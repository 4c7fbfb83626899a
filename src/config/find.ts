import { lstatSync } from "node:fs";
import { join } from "node:path";
import { expandTilde } from "../agent/home.ts";
import { OddFileError, readNamedFile } from "../system/files.ts";
import { ConfigError } from "./config-error.ts";

const NAMES = ["rollcall.yaml", "rollcall.yml", "rollcall.json", "gateway.json"];

/** The place of the gateway's own config, which serves where the home has none. */
const GATEWAY = "~/.agenc/gateway.json";

/** The file that holds the config: the one that was named, the one in the home, the gateway's, or none. */
export function configFileIn(home: string, named: string | undefined): string | undefined {
  if (named !== undefined) return named;
  const found = NAMES.map((name) => join(home, name)).filter(isThere);
  const [first, second] = found;
  if (first !== undefined && second !== undefined) {
    throw new ConfigError(first, [`there is also ${second}; keep one of them`]);
  }
  return first ?? gatewayConfig();
}

/** The gateway's config, if it is this user's: with `HOME` kept by sudo, root must not run what another user wrote. */
function gatewayConfig(): string | undefined {
  const file = expandTilde(GATEWAY);
  if (!isThere(file)) return undefined;
  const owner = lstatSync(file).uid;
  const we = process.geteuid?.() ?? owner;
  if (owner === we) return file;
  const right = `to use it, name it: --config ${file}`;
  throw new ConfigError(file, [`it belongs to user ${owner}, and this is user ${we}; ${right}`]);
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

/** The text of a file that a person names. Throws a sentence that goes on after the file's name. */
export function readText(file: string, largest: number): string {
  let bytes: Buffer;
  try {
    bytes = readNamedFile(file, largest);
  } catch (error) {
    const isOdd = error instanceof OddFileError;
    const why = isOdd ? error.message.replace(file, "it") : cannotRead((error as NodeJS.ErrnoException).code);
    throw new Error(why, { cause: error });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Error("it is not valid UTF-8 text", { cause: error });
  }
}

function cannotRead(code: string | undefined): string {
  return code === "ENOENT"
    ? "there is no such file"
    : `it cannot be read (${code}); expected a file that this user may read`;
}

export const LARGEST_CONFIG = 16 * 1024 * 1024;

/** The text of a config. */
export function configText(file: string): string {
  try {
    return readText(file, LARGEST_CONFIG);
  } catch (error) {
    throw new ConfigError(file, [(error as Error).message], { cause: error });
  }
}
