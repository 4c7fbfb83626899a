import { TaskSourceError } from "../../ports/task-source.ts";
import { readFileUpTo } from "../kit/read-file.ts";

/** Where the token is. At most one of the two is given; without both, none is sent. */
export interface TokenPlace {
  readonly tokenEnv: string | undefined;
  /** An absolute path. */
  readonly tokenFile: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const MOST_BYTES = 64 * 1024;
/** What may stand in a header. Anything else would be shown, whole, in the error of whoever sends it. */
const TOKEN = /^[\x21-\x7e]+$/;

/** Reads the token anew each time, so that it can be changed without a restart. */
export async function readToken(
  { tokenEnv, tokenFile, env }: TokenPlace,
  name: string,
  abort: AbortSignal,
): Promise<string | undefined> {
  if (tokenEnv === undefined && tokenFile === undefined) return undefined;
  const text = tokenFile === undefined ? env[tokenEnv ?? ""] : await tokenIn(tokenFile, abort);
  const token = text?.trim() ?? "";
  if (TOKEN.test(token)) return token;
  const what = token === "" ? "there is none" : "what is there is not of one line of plain characters";
  throw new TaskSourceError("no-token", `${name}: expected a token in ${tokenFile ?? tokenEnv}; ${what}`);
}

async function tokenIn(path: string, abort: AbortSignal): Promise<string | undefined> {
  const read = await readFileUpTo(path, MOST_BYTES, abort).catch(() => undefined);
  return read instanceof Uint8Array ? new TextDecoder().decode(read) : undefined;
}
