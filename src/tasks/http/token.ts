import { TaskSourceError } from "../../ports/task-source.ts";
import { fitsHeader, secretReader } from "../../system/secret.ts";

/** Where the token is. At most one of the two is given; without both, none is sent. */
export interface TokenPlace {
  readonly tokenEnv: string | undefined;
  /** An absolute path. */
  readonly tokenFile: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reads the token anew each time, so that it can be changed without a restart. */
export async function readToken(
  { tokenEnv, tokenFile, env }: TokenPlace,
  name: string,
): Promise<string | undefined> {
  if (tokenEnv === undefined && tokenFile === undefined) return undefined;
  const token = await secretReader({ env: tokenEnv, file: tokenFile }, { env })();
  if ("value" in token && fitsHeader(token.value)) return token.value;
  const what = "problem" in token ? "there is none" : "what is there is not of one line of plain characters";
  throw new TaskSourceError("no-token", `${name}: expected a token in ${token.place}; ${what}`);
}
