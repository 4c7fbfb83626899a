import { dirname, resolve } from "node:path";
import { expandTilde } from "../agent/home.ts";
import type { Home } from "../home/home.ts";
import { runningWatcher } from "../home/running-watcher.ts";
import { environmentOf } from "../system/proc.ts";
import {
  type NamedPlace,
  readSecretFile,
  type SecretDeps,
  secretPlaces,
  secretReader,
} from "../system/secret.ts";
import type { Config } from "./load.ts";

/** A path in a config is relative to the folder in which the config lies. */
export function besideConfig(path: string, { file }: Pick<Config, "file">): string {
  return resolve(file === undefined ? "." : dirname(file), expandTilde(path));
}

/** How the daemon reads the secrets that its config names. */
export function secretMeans(config: () => Pick<Config, "file">): SecretDeps {
  return { env: process.env, readFile: (path) => readSecretFile(besideConfig(path, config())) };
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

/** The places of all secrets that the config names. */
function namedSecrets({ channels, forge, store, tasks, daemon, heartbeat }: Config): readonly NamedPlace[] {
  const sections: readonly (readonly [key: string, settings: object | undefined])[] = [
    ...Object.entries(channels).map(([name, settings]) => [`channels.${name}`, settings] as const),
    ["forge", forge],
    ["store", store],
    ...Object.entries(tasks).map(([kind, settings]) => [`tasks.${kind}`, settings] as const),
    ...heartbeat.actions.map(({ webhook }, at) => [`heartbeat.actions[${at}].webhook`, webhook] as const),
    ["daemon.heartbeat.telegram", daemon.heartbeat.telegram],
  ];
  return sections.flatMap(([section, settings = {}]) =>
    [...secretPlaces(settings).values()].map((place) => ({ ...place, key: `${section}.${place.key}` })),
  );
}
