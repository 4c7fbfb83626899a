import { OddFileError } from "./files.ts";

/** Where secrets are read from. */
export interface SecretDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => Promise<string>;
}

/** A secret with the name of its place, which may be told, or why there is none. */
export type Secret =
  | { readonly value: string; readonly place: string }
  | { readonly problem: string; readonly place: string };

/** Reads a secret at every attempt, so that one that was mended counts without a restart. */
export type SecretReader = () => Promise<Secret>;

export interface SecretPlace {
  readonly env?: string | undefined;
  readonly file?: string | undefined;
}

export function secretReader({ env, file }: SecretPlace, means: SecretDeps): SecretReader {
  if (file !== undefined) return () => fromFile(file, means);
  const place = env ?? "";
  return () => {
    const value = means.env[place]?.trim();
    if (value) return Promise.resolve({ value, place });
    const problem = `${place} is not set: put the secret into this environment variable of the daemon`;
    return Promise.resolve({ problem, place });
  };
}

async function fromFile(place: string, { readFile }: SecretDeps): Promise<Secret> {
  try {
    const value = (await readFile(place)).trim();
    return value === "" ? { problem: `${place} is empty: put the secret into it`, place } : { value, place };
  } catch (error) {
    if (error instanceof OddFileError)
      return { problem: `${place} ${error.why}: put the secret into a plain file`, place };
    const { code = "error" } = error as NodeJS.ErrnoException;
    return { problem: `${place} cannot be read (${code}): put the secret into this file`, place };
  }
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
