import type { SecretPlace } from "./secret.ts";

/** A place of a secret, as settings name it. */
export interface NamedPlace extends SecretPlace {
  /** The key that names the place. */
  readonly key: string;
}

/**
 * The places that some settings name, by secret: `tokenEnv` is the variable of the secret `token`, and `tokenFile` its
 * file, which counts if both are there.
 */
export function secretPlaces(settings: object): ReadonlyMap<string, NamedPlace> {
  const places = new Map<string, NamedPlace>();
  for (const [key, value] of Object.entries(settings) as [string, unknown][]) {
    const [, secret, where] = /^(\w+)(Env|File)$/.exec(key) ?? [];
    if (secret === undefined || typeof value !== "string") continue;
    if (where === "File") places.set(secret, { key, file: value });
    else if (!places.has(secret)) places.set(secret, { key, env: value });
  }
  return places;
}
