import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname } from "node:path";

// The only way to read a file that another user or program could have put in its place. Opening never waits for the
// writer of a pipe, only a regular file is read, and never more of it than the caller allows.

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const CHUNK = 64 * 1024;
const SMALL = 4096;

/** Something other than the expected file stands at a path. The sentence names the path. */
export class OddFileError extends Error {
  readonly code = "odd-file";
  /** The sentence without the path: `is a folder, not a file`. */
  readonly why: string;

  constructor(path: string, why: string) {
    super(`${path} ${why}`);
    this.name = "OddFileError";
    this.why = why;
  }
}

/** Reads a file that a person named: a link may lead to it, and it may belong to anybody. */
export function readNamedFile(path: string, most: number): Buffer {
  return read(path, most, 0);
}

/** Reads a file of a home: not through a link, and only if we, root or the owner of its folder own it. */
export function readOwnFile(path: string, most: number): Buffer {
  return read(path, most, O_NOFOLLOW);
}

/** Opens a file to append to it. A pipe or a folder that stands in its place is moved aside first. */
export function openToAppend(path: string): number {
  try {
    return append(path);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // A pipe that nobody reads is ENXIO.
    if (!["odd-file", "EISDIR", "ENXIO"].includes(code)) throw error;
    renameSync(path, `${path}.odd`);
    return append(path);
  }
}

/** What a thing that is not a regular file is; undefined for a regular file. */
export function sayKind(stat: Stats): string | undefined {
  if (stat.isFile()) return undefined;
  if (stat.isDirectory()) return "is a folder, not a file";
  if (stat.isFIFO()) return "is a named pipe, not a file";
  if (stat.isSymbolicLink()) return "is a symbolic link, not a file";
  return stat.isSocket() ? "is a socket, not a file" : "is a device, not a file";
}

/** Says so if neither we, nor root, nor the owner of its folder own a file. */
export function sayStranger(stat: Stats, path: string): string | undefined {
  const we = process.geteuid?.();
  if (we === undefined || stat.uid === we || stat.uid === 0) return undefined;
  if (stat.uid === statSync(dirname(path)).uid) return undefined;
  return `belongs to user ${stat.uid}, not to user ${we}`;
}

/** The names in a folder, in order; none if it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Creates a folder and those above it. Node's own recursive way never returns under `/proc`. */
export function makeFolder(folder: string): void {
  try {
    makeOne(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(folder) === folder) throw error;
    makeFolder(dirname(folder));
    makeOne(folder);
  }
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" && statSync(folder).isDirectory()) return;
    throw error;
  }
}

function append(path: string): number {
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
  const kind = sayKind(fstatSync(file));
  if (kind === undefined) return file;
  closeSync(file);
  throw new OddFileError(path, kind);
}

function read(path: string, most: number, flags: number): Buffer {
  const file = open(path, flags);
  try {
    const stat = fstatSync(file);
    const odd = sayKind(stat) ?? (flags === O_NOFOLLOW ? sayStranger(stat, path) : undefined);
    if (odd !== undefined) throw new OddFileError(path, odd);
    const chunks: Buffer[] = [];
    let size = 0;
    // Files of the kernel have no size, and a file may grow meanwhile: what is read counts too.
    while (Math.max(size, stat.size) <= most) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(SMALL, stat.size + 1)));
      const count = readSync(file, chunk);
      if (count === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, count));
      size += count;
    }
    throw new OddFileError(path, `is larger than ${most} bytes`);
  } finally {
    closeSync(file);
  }
}

function open(path: string, flags: number): number {
  try {
    return openSync(path, O_RDONLY | O_NONBLOCK | flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ELOOP") {
      const links =
        flags === O_NOFOLLOW ? "is a symbolic link, not a file" : "is a link that leads in a circle";
      throw new OddFileError(path, links);
    }
    if (code === "ENXIO") throw new OddFileError(path, "is a socket or a device, not a file");
    throw error;
  }
}
