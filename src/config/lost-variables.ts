import { environmentFor, variablesIn } from "../core/environment.ts";
import { commandsIn } from "./commands.ts";
import type { Config } from "./load.ts";

/**
 * One sentence for each variable that a command mentions and does not get, although the daemon has it: it is set in
 * `env`, or the config names it as the place of a secret.
 */
export function lostVariables(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  secrets: readonly string[],
): readonly string[] {
  const had = { ...Object.fromEntries(secrets.map((name) => [name, ""])), ...env };
  return commandsIn(config).flatMap(({ key, line, extra }) => {
    const given = environmentFor(had, extra);
    return variablesIn([line].flat().join(" "))
      .filter((name) => had[name] !== undefined && given[name] === undefined && !SET.has(name))
      .map((name) => `${key}: the command mentions $${name}, but does not get it; add passEnv: [${name}]`);
  });
}

/** Rollcall sets these for the commands that it starts, or their shell does. */
const SET: ReadonlySet<string> = new Set(
  "ROLLCALL_AGENT ROLLCALL_CYCLE ROLLCALL_RECOVERING ROLLCALL_LAST_CYCLE ROLLCALL_KEY PWD OLDPWD SHLVL".split(
    " ",
  ),
);
