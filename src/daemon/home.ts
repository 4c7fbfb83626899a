import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { expandTilde, homeDir, openHome } from "../agent/home.ts";
import { placeFile } from "../agent/place-file.ts";

/** Where everything of one installation lives. */
export interface Home {
  readonly path: string;
  readonly beats: string;
  readonly spool: string;
  readonly database: string;
  /** Whoever writes the database holds this lock. */
  readonly writerLock: string;
  readonly pidFile: string;
  readonly log: string;
  readonly tokenFile: string;
  /** What ping UUIDs are made with: it is never changed, so that they stay. */
  readonly pingSecretFile: string;
}

/** The home by `--home`, `ROLLCALL_HOME` or the default. Nothing is created: reading changes nothing. */
export function homeAt(named?: string): Home {
  const path = resolve(named === undefined ? homeDir() : expandTilde(named));
  return {
    path,
    beats: join(path, "beats"),
    spool: join(path, "spool"),
    database: join(path, "rollcall.db"),
    writerLock: join(path, "writer.lock"),
    pidFile: join(path, "rollcall.pid"),
    log: join(path, "logs", "rollcall.log"),
    tokenFile: join(path, "token"),
    pingSecretFile: join(path, "ping-secret"),
  };
}

/** Creates what is missing of a home, for its owner alone. */
export function prepareHome(home: Home): void {
  openHome(home.path);
  mkdirSync(join(home.path, "logs"), { recursive: true, mode: 0o700 });
}

/** The secret that lets a local program change things: whoever can read the home may. */
export function tokenOf(home: Home): string {
  return secretIn(home, home.tokenFile);
}

export function pingSecretOf(home: Home): string {
  return secretIn(home, home.pingSecretFile);
}

/** Puts the secrets back that a running daemon uses, where their files are gone. */
export function putBackSecrets(home: Home, token: string, pingSecret: string): void {
  for (const [file, secret] of [
    [home.tokenFile, token],
    [home.pingSecretFile, pingSecret],
  ] as const)
    if (readSecret(file) !== secret) placeSecret(home, file, secret);
}

function secretIn(home: Home, file: string): string {
  const known = readSecret(file);
  if (known !== undefined) return known;
  const secret = randomBytes(32).toString("base64url");
  placeSecret(home, file, secret);
  return secret;
}

function placeSecret(home: Home, file: string, secret: string): void {
  placeFile(join(home.path, `.secret-${process.pid}`), file, `${secret}\n`, true);
}

export function readToken(home: Home): string | undefined {
  return readSecret(home.tokenFile);
}

export function readPingSecret(home: Home): string | undefined {
  return readSecret(home.pingSecretFile);
}

function readSecret(file: string): string | undefined {
  try {
    const secret = readFileSync(file, "utf8").trim();
    return secret === "" ? undefined : secret;
  } catch {
    return undefined;
  }
}

/** The machine's name as beats carry it: its first label. */
export function hostName(): string {
  return hostname().split(".")[0] ?? "localhost";
}
