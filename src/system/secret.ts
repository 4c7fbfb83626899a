import { OddFileError, readNamedFile } from "./files.ts";

/** Where secrets are read from. */
export interface SecretDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads the file at a path; the one that is meant may lie elsewhere. */
  readonly readFile?: (path: string) => Promise<string>;
}

/** A secret with the name of its place, which may be told. */
export interface FoundSecret {
  readonly value: string;
  readonly place: string;
}

/** The same, or why there is none. */
export type ReadSecret = FoundSecret | { readonly problem: string; readonly place: string };

/** Reads a secret at every attempt, so that one that was mended counts without a restart. */
export type SecretReader = () => Promise<ReadSecret>;

export interface SecretPlace {
  readonly env?: string | undefined;
  readonly file?: string | undefined;
}

const LARGEST = 64 * 1024;

export function secretReader(place: SecretPlace, { env, readFile }: SecretDeps): SecretReader {
  const { file } = place;
  return async () => {
    if (file === undefined || readFile === undefined) return readSecret(place, env);
    try {
      return inFile(await readFile(file), file);
    } catch (error) {
      return unreadable(error, file);
    }
  };
}

/** Reads a secret now. */
export function readSecret({ env, file }: SecretPlace, variables: SecretDeps["env"]): ReadSecret {
  if (file !== undefined) {
    try {
      return inFile(readNow(file), file);
    } catch (error) {
      return unreadable(error, file);
    }
  }
  const place = env ?? "";
  const value = variables[place]?.trim();
  if (value) return { value, place };
  const problem = `${place} is not set: put the secret into this environment variable of the daemon`;
  return { problem, place };
}

export async function readSecretFile(path: string): Promise<string> {
  return readNow(path);
}

/** Whether a token may stand in a header. Anything else would be refused there in an error that shows it whole. */
export function fitsHeader(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

function readNow(path: string): string {
  return readNamedFile(path, LARGEST).toString("utf8");
}

function inFile(text: string, place: string): ReadSecret {
  const value = text.trim();
  return value === "" ? { problem: `${place} is empty: put the secret into it`, place } : { value, place };
}

function unreadable(error: unknown, place: string): ReadSecret {
  if (error instanceof OddFileError)
    return { problem: `${place} ${error.why}: put the secret into a plain file`, place };
  const { code = "error" } = error as NodeJS.ErrnoException;
  return { problem: `${place} cannot be read (${code}): put the secret into this file`, place };
}

/** A part of a secret that is shorter than this is part of too many words. */
const SHORTEST_PART = 6;

/** Takes secrets out of a text of the far side, which may repeat what it was sent, also in other spellings. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const spellings = secrets
    .flatMap((secret) => [
      secret,
      ...secret.split(/[/?&=@:]+/).filter((part) => part.length >= SHORTEST_PART),
    ])
    .filter((part) => part !== "")
    .flatMap((part) => [part, encodeURIComponent(part.toWellFormed()), Buffer.from(part).toString("base64")])
    .sort((a, b) => b.length - a.length);
  return spellings.reduce((rest, spelling) => rest.replaceAll(spelling, "…"), text);
}

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
