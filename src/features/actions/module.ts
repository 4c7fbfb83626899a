import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type Millis, SECOND, sayDuration } from "../../core/duration.ts";
import type { HeartbeatAction } from "../../schedule/engine/action.ts";
import { ActionError } from "../../schedule/engine/options.ts";

/** A module that waits for something at its top must not keep the daemon from starting for ever. */
const LOAD_LIMIT: Millis = 10 * SECOND;

/** A person's own action: a bad one is an error that names it and its file, not a crash. */
export async function loadModule(
  name: string,
  file: string,
  config: unknown,
  limit: Millis = LOAD_LIMIT,
): Promise<HeartbeatAction> {
  const bad = (why: string) => new ActionError("bad-action", `action ${name}: ${file}${why}`);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) throw bad(": there is no such file");
  // Node never reads an address again: with its date a file that was mended is another one.
  const url = `${pathToFileURL(file).href}?${stat.mtimeMs}`;
  const late = bad(` cannot be loaded: it was not ready within ${sayDuration(limit)}`);
  let found: unknown;
  try {
    found = await within(limit, late, defaultOf(url, config));
  } catch (error) {
    throw error === late ? late : bad(`${lineOf(error, url)} cannot be loaded: ${whyOf(error, file)}`);
  }
  if (
    typeof found !== "object" ||
    found === null ||
    typeof (found as HeartbeatAction).execute !== "function"
  ) {
    const what = found === null ? "null" : typeof found;
    throw bad(
      `: its default export is ${what}; expected an action with a function execute, or a function that makes one`,
    );
  }
  return moduleAction(name, file, found as HeartbeatAction);
}

/** Loads a module; of one that cannot be loaded it makes an action that tries again at each run. */
export function loadLater(tell: (problem: Error) => void): typeof loadModule {
  return async (name, file, config) => {
    try {
      return await loadModule(name, file, config);
    } catch (error) {
      if (!(error instanceof ActionError)) throw error;
      tell(error);
      const execute: HeartbeatAction["execute"] = async (context) =>
        (await loadModule(name, file, config)).execute(context);
      return moduleAction(name, file, { execute });
    }
  };
}

/** It goes by the name that the config gives it. */
export function moduleAction(
  name: string,
  file: string,
  action: Pick<HeartbeatAction, "execute"> & { readonly description?: unknown },
): HeartbeatAction {
  const { description } = action;
  return {
    name,
    description: typeof description === "string" ? description : `the module ${file}`,
    execute: (context) => action.execute(context),
  };
}

async function defaultOf(url: string, config: unknown): Promise<unknown> {
  const loaded = (await import(url)) as { default?: unknown };
  return typeof loaded.default === "function" ? await loaded.default(config) : loaded.default;
}

function within<T>(limit: Millis, late: Error, work: Promise<T>): Promise<T> {
  return new Promise((done, failed) => {
    const timer = setTimeout(() => failed(late), limit);
    work.then(done, failed).finally(() => clearTimeout(timer));
  });
}

function whyOf(error: unknown, file: string): string {
  const why = (error instanceof Error && error.message.split("\n")[0]) || String(error);
  // Only Node itself can say where that is.
  return error instanceof SyntaxError ? `${why}; see: node --check ${file}` : why;
}

/** Where in the file something was thrown, if the error says so. */
function lineOf(error: unknown, url: string): string {
  const [, place = ""] = ((error instanceof Error && error.stack) || "").split(`${url}:`);
  const line = Number.parseInt(place, 10);
  return Number.isNaN(line) ? "" : `:${line}`;
}
