import { dirname, resolve } from "node:path";
import { expandTilde } from "../agent/home.ts";
import { DEFAULT_TOKEN_ENV } from "../channels/telegram/index.ts";
import type { Home } from "../home/home.ts";
import { runningWatcher } from "../home/running-watcher.ts";
import { environmentOf } from "../system/proc.ts";
import { readSecretFile, type SecretDeps, type SecretPlace, secretReader } from "../system/secret.ts";
import type { Config } from "./load.ts";

/** A path in a config is relative to the folder in which the config lies. */
export function besideConfig(path: string, { file }: Pick<Config, "file">): string {
  return resolve(file === undefined ? "." : dirname(file), expandTilde(path));
}

/** How the daemon reads the secrets that its config names. */
export function secretMeans(config: () => Pick<Config, "file">): SecretDeps {
  return { env: process.env, readFile: (path) => readSecretFile(besideConfig(path, config())) };
}

/** A secret that the config names, and under which key. */
interface NamedSecret extends SecretPlace {
  readonly key: string;
}

/** One sentence for each secret that cannot be read now. A missing one delays messages; it never stops the watcher. */
export async function missingSecrets(config: Config, home: Home): Promise<readonly string[]> {
  const env = environmentOfDaemon(home);
  const found = await Promise.all(
    namedSecrets(config).map(async ({ key, ...place }) => {
      // The source of tasks reads its files relative to the home.
      const base = key.startsWith("tasks.") ? { file: resolve(home.path, "rollcall.yaml") } : config;
      const read = await secretReader(place, { ...secretMeans(() => base), env })();
      return "problem" in read ? [`${key}: ${read.problem}`] : [];
    }),
  );
  return found.flat();
}

/** A daemon that runs may have another environment than this shell. */
export function environmentOfDaemon(home: Home): SecretDeps["env"] {
  const watcher = runningWatcher(home)?.incarnation;
  return (watcher && environmentOf(watcher.pid)) ?? process.env;
}

/** The variables that the config names as places of secrets. */
export function secretVariables(config: Config): readonly string[] {
  return namedSecrets(config).flatMap(({ env }) => (env === undefined ? [] : [env]));
}

/** The places of all secrets that the config names: keys that end with Env or File beside each other. */
function namedSecrets({ channels, forge, tasks, daemon, heartbeat }: Config): readonly NamedSecret[] {
  const { telegram } = daemon.heartbeat;
  const webhooks = heartbeat.actions.map(({ webhook }, index) => [
    `heartbeat.actions[${index}].webhook`,
    webhook,
  ]);
  return [
    ...Object.entries(channels).map(([name, settings]) => [`channels.${name}`, withDefault(settings)]),
    ["forge", forge],
    ["tasks.http", tasks.http],
    ...webhooks,
    ["daemon.heartbeat.telegram", telegram],
  ].flatMap(([key, settings]) => secretsIn(key as string, settings as Settings));
}

type Settings = Readonly<Record<string, unknown>> | undefined;

function withDefault(settings: Config["channels"][string]): Settings {
  return settings.kind === "telegram" ? { tokenEnv: DEFAULT_TOKEN_ENV, ...settings } : settings;
}

function secretsIn(key: string, settings: Settings = {}): readonly NamedSecret[] {
  return ["token", "url", "secret", "password"].flatMap((what): NamedSecret[] => {
    const { [`${what}Env`]: env, [`${what}File`]: file } = settings;
    if (typeof file === "string") return [{ key: `${key}.${what}File`, file }];
    return typeof env === "string" ? [{ key: `${key}.${what}Env`, env }] : [];
  });
}
