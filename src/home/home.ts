import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, type Stats, statSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import {
  expandTilde,
  homeDir,
  isHomeNamed,
  openHome,
  type RefusedHome,
  strangeOwner,
} from "../agent/home.ts";
import { placeFile } from "../agent/place-file.ts";
import { quoted } from "../core/quoted.ts";
import type { StoreSettings } from "../store/registry.ts";
import { makeFolder, readOwnFile } from "../system/files.ts";

const LARGEST_SECRET = 4096;

/** Where everything of one installation lives. */
export interface Home {
  readonly path: string;
  /** Whether `--home` or `ROLLCALL_HOME` named it, so that it is not merely the default. */
  readonly isNamed: boolean;
  readonly beats: string;
  readonly spool: string;
  readonly database: string;
  /** Whoever writes the database holds this lock. */
  readonly writerLock: string;
  readonly pidFile: string;
  readonly log: string;
  readonly tokenFile: string;
  /** Where commands reach the watcher: only the home's owner can open it. */
  readonly socket: string;
  /** What ping UUIDs are made with: it is never changed, so that they stay. */
  readonly pingSecretFile: string;
  /** Who writes the store, if that is elsewhere: another home has another name. */
  readonly ownerFile: string;
  /** Where the store is, if the config says so; else it is the database. */
  readonly store?: StoreSettings | undefined;
}

/** The home by `--home`, `ROLLCALL_HOME` or the default. Nothing is created: reading changes nothing. */
export function homeAt(named?: string): Home {
  const path = resolve(named === undefined ? homeDir() : expandTilde(named));
  return {
    path,
    isNamed: named !== undefined || isHomeNamed(),
    beats: join(path, "beats"),
    spool: join(path, "spool"),
    database: join(path, "rollcall.db"),
    writerLock: join(path, "writer.lock"),
    pidFile: join(path, "rollcall.pid"),
    log: join(path, "logs", "rollcall.log"),
    tokenFile: join(path, "token"),
    socket: join(path, "socket"),
    pingSecretFile: join(path, "ping-secret"),
    ownerFile: join(path, "store-owner"),
  };
}

/** The home cannot be trusted: another user could have written what stands in it. */
export class HomeRefusedError extends Error {
  readonly code = "home-refused";
  readonly refused: RefusedHome;

  constructor(refused: RefusedHome) {
    super(`${refused.says}; ${refused.todo}`);
    this.name = "HomeRefusedError";
    this.refused = refused;
  }
}

/** Refuses a home that belongs to another user, or that others can write; the sentence says what mends it. */
export function checkHome({ path, isNamed }: Home): void {
  const stranger = strangeOwner(path, isNamed);
  if (stranger !== undefined) throw new HomeRefusedError(stranger);
  const stat = statHome(path);
  if (stat === undefined || (stat.mode & 0o022) === 0) return;
  const others = (stat.mode & 0o002) === 0 ? "its group" : "every user of this machine";
  throw new HomeRefusedError({
    says: `the home ${path} can be written by ${others} (mode ${sayMode(stat.mode)})`,
    todo: `close it to others: chmod 700 ${quoted(path)}`,
  });
}

function statHome(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOTDIR" ? "a part of the path is not a folder" : `it cannot be read (${code})`;
    throw new HomeRefusedError({ says: `--home ${path}: ${why}`, todo: "name another folder" });
  }
}

/** Closes a home of our own that others can read. Returns the mode that it had; undefined if it was closed. */
export function closeHome({ path }: Home): string | undefined {
  const { mode, uid } = statSync(path);
  if ((mode & 0o077) === 0 || uid !== process.geteuid?.()) return undefined;
  chmodSync(path, 0o700);
  return sayMode(mode);
}

function sayMode(mode: number): string {
  return `0${(mode & 0o7777).toString(8)}`;
}

/** Creates what is missing of a home, for its owner alone. */
export function prepareHome(home: Home): void {
  openHome(home.path);
  makeFolder(join(home.path, "logs"));
}

/** The secret that lets a local program change things: whoever can read the home may. */
export function tokenOf(home: Home): string {
  return secretIn(home, home.tokenFile);
}

export function pingSecretOf(home: Home): string {
  return secretIn(home, home.pingSecretFile);
}

/** The name under which this home owns a store that is elsewhere: it tells people the machine. */
export function storeOwnerOf(home: Home): string {
  const known = readSecret(home.ownerFile);
  if (known !== undefined) return known;
  const name = `${hostName()}-${randomBytes(6).toString("hex")}`;
  placeSecret(home, home.ownerFile, name);
  return name;
}

/** Whether there is something to read. */
export function hasStore(home: Home): boolean {
  return home.store !== undefined || existsSync(home.database);
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

export function readSecret(file: string): string | undefined {
  try {
    const secret = readOwnFile(file, LARGEST_SECRET).toString("utf8").trim();
    return secret === "" ? undefined : secret;
  } catch {
    return undefined;
  }
}

/** The machine's name as beats carry it: its first label. */
export function hostName(): string {
  return hostname().split(".")[0] ?? "localhost";
}
