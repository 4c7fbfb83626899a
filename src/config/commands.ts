import { homedir } from "node:os";
import { expandTilde } from "../agent/home.ts";
import type { ExtraEnvironment } from "../core/environment.ts";
import type { Ladder } from "../core/recovery/ladder.ts";
import type { Config } from "./load.ts";
import { besideConfig } from "./secrets.ts";

/** A command of the config: under which key it stands, what is run, where, and what it asks for. */
export interface NamedCommand {
  readonly key: string;
  readonly line: string | readonly string[];
  /** Undefined if it runs wherever the watcher was started. */
  readonly folder?: string;
  readonly extra: ExtraEnvironment;
}

export function commandsIn(config: Config): readonly NamedCommand[] {
  const { agents, defaults, heartbeat, channels, tick } = config;
  const probes = [
    ["tick.gateway", tick.gateway] as const,
    ...Object.entries(tick.capabilities).map(
      ([name, probe]) => [`tick.capabilities.${name}`, probe] as const,
    ),
  ];
  return [
    ...stepsIn("defaults.recover", defaults.recover),
    ...agents.flatMap(({ id, recover = [] }) => stepsIn(`agent ${id}: recover`, recover)),
    ...heartbeat.actions.flatMap(({ command }, index) =>
      command === undefined
        ? []
        : [
            {
              key: `heartbeat.actions[${index}].command`,
              line: command.argv,
              folder: besideConfig(command.cwd ?? ".", config),
              extra: command,
            },
          ],
    ),
    ...Object.entries(channels).flatMap(([name, channel]) =>
      channel.kind === "command" ? [{ key: `channels.${name}`, line: channel.argv, extra: channel }] : [],
    ),
    ...probes.flatMap(([key, probe]) =>
      probe?.command === undefined ? [] : [{ key, line: probe.command, extra: tick }],
    ),
  ];
}

function stepsIn(key: string, ladder: Ladder): readonly NamedCommand[] {
  return ladder.flatMap((step, index) => {
    const how = "with" in step ? step.with : undefined;
    if (how === undefined || !("command" in how)) return [];
    const folder = expandTilde(how.cwd ?? homedir());
    return [{ key: `${key}[${index}].with`, line: how.command, folder, extra: how }];
  });
}
