import { createHash } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { makeFolder, readNamedFile, sayKind } from "../../system/files.ts";
import { ConnectError } from "./connect-error.ts";

const LARGEST = 8 * 1024 * 1024;

/** A settings file as it is: where a link leads, its bytes if it is there, and its mode. */
export interface SettingsFile {
  readonly path: string;
  readonly bytes: Buffer | undefined;
  readonly mode: number;
}

/** Reads a file that shall be changed, and refuses one that must not be. */
export function openSettings(named: string): SettingsFile {
  const link = lstatSync(named, { throwIfNoEntry: false });
  if (link === undefined) return { path: named, bytes: undefined, mode: 0o600 };
  if (link.isSymbolicLink() && !existsSync(named))
    throw new ConnectError("odd-settings", `${named} is a link that leads nowhere; nothing was changed`);
  const path = realpathSync(named);
  const stat = statSync(path);
  const kind = sayKind(stat);
  if (kind !== undefined) throw new ConnectError("odd-settings", `${named} ${kind}; nothing was changed`);
  return { path, bytes: readNamedFile(path, LARGEST), mode: stat.mode & 0o777 };
}

/** Throws if a file may not be replaced. Root may write everything, but a file without that right is meant to stay. */
export function mustBeWritable({ path, bytes, mode }: SettingsFile): void {
  const why = bytes !== undefined && (mode & 0o200) === 0 ? "is read-only" : undefined;
  const folder = dirname(path);
  const closed =
    existsSync(folder) && !canWrite(folder) ? "lies in a folder that cannot be changed" : undefined;
  const problem = why ?? closed;
  if (problem !== undefined)
    throw new ConnectError("unwritable-settings", `${path} ${problem}; nothing was changed`);
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where a file is written before it takes its place. */
export function besideOf(path: string): string {
  return `${path}.rollcall.tmp`;
}

/** Writes a file beside its place and moves it there: whoever is killed in between leaves the old one whole. */
export function replaceFile(path: string, bytes: Buffer | string, mode: number): void {
  const temporary = besideOf(path);
  try {
    makeFolder(dirname(path));
    rmSync(temporary, { force: true });
    const file = openSync(temporary, "wx", mode);
    try {
      writeFileSync(file, bytes);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    const why = error instanceof Error ? error.message : String(error);
    throw new ConnectError("unwritable-settings", `${path} cannot be written: ${why}; nothing was changed`);
  }
}

export function hashOf(bytes: Buffer | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}
