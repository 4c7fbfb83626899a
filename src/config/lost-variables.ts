import { type ExtraEnvironment, environmentFor, variablesIn } from "../core/environment.ts";
import type { Ladder } from "../core/recovery/ladder.ts";
import type { Config } from "./load.ts";

/** A command of the config: under which key it stands, what is run, and what it asks for. */
interface Named {
  readonly key: string;
  readonly line: string | readonly string[];
  readonly extra: ExtraEnvironment;
}

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

function commandsIn({ agents, defaults, heartbeat, channels, tick }: Config): readonly Named[] {
  const probes = [
    ["tick.gateway", tick.gateway] as const,
    ...Object.entries(tick.capabilities).map(
      ([name, probe]) => [`tick.capabilities.${name}`, probe] as const,
    ),
  ];
  return [
    ...stepsIn("defaults.recover", defaults.recover),
    ...agents.flatMap(({ recover = [] }, index) => stepsIn(`agents[${index}].recover`, recover)),
    ...heartbeat.actions.flatMap(({ command }, index) =>
      command === undefined
        ? []
        : [{ key: `heartbeat.actions[${index}].command`, line: command.argv, extra: command }],
    ),
    ...Object.entries(channels).flatMap(([name, channel]) =>
      channel.kind === "command" ? [{ key: `channels.${name}`, line: channel.argv, extra: channel }] : [],
    ),
    ...probes.flatMap(([key, probe]) =>
      probe?.command === undefined ? [] : [{ key, line: probe.command, extra: tick }],
    ),
  ];
}

function stepsIn(key: string, ladder: Ladder): readonly Named[] {
  return ladder.flatMap((step, index) => {
    const how = "with" in step ? step.with : undefined;
    if (how === undefined || !("command" in how)) return [];
    return [{ key: `${key}[${index}].with`, line: how.command, extra: how }];
  });
}
