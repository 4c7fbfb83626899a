import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Instant } from "../core/duration.ts";
import { type FileStat, type Files, realFiles, sayFileError } from "../system/stat-files.ts";
import { newestMatch } from "./newest-match.ts";

/** Where a log is to be found. Exactly one of `path` and `folder` is given. */
export interface LogPlace {
  /** A path; `{key}` and `~/` are filled in; with `*` or `?` it is the newest file that fits. */
  readonly path?: string;
  /** A folder, whose newest file is meant. */
  readonly folder?: string;
  /** What `{agent}`, `{repo}`, `{worker}` and others stand for; `{home}` is the user's home unless it says otherwise. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Of the files that fit, only those which this accepts. */
  readonly accepts?: (path: string) => Promise<boolean>;
  /** How many folders that fit are looked into, if their names are not dates. */
  readonly mostFolders?: number;
}

/** The log as it was when we looked. */
export interface LogFile {
  readonly path: string;
  readonly folder: string;
  readonly modifiedAt: Instant;
  readonly size: number;
  readonly dev: number;
  readonly ino: number;
}

/** A file that may be asked for without a promise as long as nothing else is mounted. */
export interface LocalFile {
  readonly path: string;
  readonly version: number;
  readonly files: NonNullable<Files["local"]>;
}

/** Why there is none, as a sentence. */
export interface NoLog {
  readonly problem: string;
  /** There is no such file. */
  readonly missing?: true;
}

export interface LogBytes {
  readonly bytes: Uint8Array;
  /** The file that they were read from: it may have been replaced since it was found. */
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
}

/** The one place that knows where a session log is, how old it is and what is in it. */
export interface SessionLog {
  /** Finds the log as it is now. A plain path costs one `stat`. */
  find(now: Instant): Promise<LogFile | NoLog>;
  /** How to ask at once, for a plain path that was found and leads to no other machine; else undefined. */
  local(): LocalFile | undefined;
  /** At most `max` bytes from `offset`. */
  read(file: LogFile, offset: number, max: number): Promise<LogBytes | NoLog>;
  /** At most the last `max` bytes. */
  tail(file: LogFile, max: number): Promise<LogBytes | NoLog>;
}

/** How often a folder is listed again although nothing says that it changed. */
const LIST_AGAIN = 30_000;

/** So many bytes of a local file are read at once: what was written since the last look is in memory yet. */
const AT_ONCE = 16 * 1024;

const NO_BYTES = new Uint8Array(0);

export function sessionLog(place: LogPlace, files: Files = realFiles): SessionLog {
  const template = place.path ?? (place.folder === undefined ? "" : join(place.folder, "*"));
  const where = fillTemplate(template, place.keys);
  /** The match that was found last, with the state of its folder at that time. */
  let match: { path: string; listedAt: Instant; folderChangedAt: number } | undefined;
  const { local } = files;
  /** Under which mounts it was looked whether the path is local, and under which it is. */
  let checkedAs: number | undefined;
  let localAs: number | undefined;

  const at = (path: string): Promise<LogFile | NoLog> =>
    files.stat(path).then(
      (stat) => logFile(path, stat),
      (error: unknown) => ({
        problem: `the log ${path} ${sayFileError(error)}`,
        ...((error as NodeJS.ErrnoException).code === "ENOENT" ? { missing: true } : {}),
      }),
    );

  const findPath = async (path: string, now: Instant): Promise<LogFile | NoLog> => {
    const version = local?.version(now);
    // Known to be local: asked at once, which takes a tenth of the time. Whatever is odd about it, the other way tells.
    const stat = version !== undefined && version === localAs ? local?.stat(path) : undefined;
    if (stat?.isFile() === true) return logFile(path, stat);
    const file = await at(path);
    if (version === checkedAs || "problem" in file) return file;
    checkedAs = version;
    localAs = (await local?.isLocal(path)) === true ? version : undefined;
    return file;
  };

  const changedAt = async (folder: string): Promise<number> => {
    const now = await files.stat(folder).catch(() => undefined);
    return now?.mtimeMs ?? Number.NaN;
  };

  const findMatch = async (pattern: string, now: Instant): Promise<LogFile | NoLog> => {
    const age = match === undefined ? Number.NaN : now - match.listedAt;
    if (match !== undefined && age >= 0 && age < LIST_AGAIN) {
      const known = match;
      // A new file shows in its folder's time; one that is only written to shows when we list again.
      if ((await changedAt(dirname(known.path))) === known.folderChangedAt) {
        const file = await at(known.path);
        if (!("problem" in file)) return file;
      }
    }
    const found = await newestMatch(pattern, files, place.accepts, place.mostFolders);
    if ("problem" in found) {
      match = undefined;
      return found;
    }
    const folder = dirname(found.path);
    match = { path: found.path, listedAt: now, folderChangedAt: await changedAt(folder) };
    return logFile(found.path, found.stat);
  };

  const read = async (file: LogFile, offset: number, max: number): Promise<LogBytes | NoLog> => {
    try {
      const from = Math.max(0, offset);
      const isSmall = Math.min(max, file.size - from) <= AT_ONCE;
      const isLocal = localAs !== undefined && !("problem" in where) && where.path === file.path;
      const { bytes, stat } =
        (isSmall && isLocal ? local?.read(file.path, from, Math.min(max, AT_ONCE)) : undefined) ??
        (await files.read(file.path, from, max));
      const { dev, ino, size } = stat;
      return stat.isFile() ? { bytes, dev, ino, size } : notAFile(file.path, stat);
    } catch (error) {
      return { problem: `the log ${file.path} ${sayFileError(error)}` };
    }
  };

  return {
    find(now) {
      if ("problem" in where) return Promise.resolve(where);
      return where.isPattern ? findMatch(where.path, now) : findPath(where.path, now);
    },
    local() {
      if ("problem" in where || local === undefined || localAs === undefined) return undefined;
      return { path: where.path, version: localAs, files: local };
    },
    read,
    async tail(file, max) {
      if (max <= 0) return { bytes: NO_BYTES, dev: file.dev, ino: file.ino, size: file.size };
      return await read(file, file.size - max, max);
    },
  };
}

function logFile(path: string, stat: FileStat): LogFile | NoLog {
  if (!stat.isFile()) return notAFile(path, stat);
  const { dev, ino, size, mtimeMs } = stat;
  return { path, folder: dirname(path), modifiedAt: Math.floor(mtimeMs), size, dev, ino };
}

function notAFile(path: string, stat: FileStat): NoLog {
  return {
    problem: `the log ${path} is ${stat.isDirectory() ? "a folder" : "a device or pipe"}, not a file`,
  };
}

type Seen = Pick<LogFile, "dev" | "ino" | "size" | "modifiedAt">;

export function isSameFile(known: Seen, file: LogFile): boolean {
  return known.ino === file.ino && known.dev === file.dev;
}

/** Same file, same size, same time: nothing was written. */
export function isUnchanged(known: Seen, file: LogFile): boolean {
  return known.size === file.size && known.modifiedAt === file.modifiedAt && isSameFile(known, file);
}

/**
 * Fills in `{key}` and a leading `~/`. Values are taken as they are: a `*` in the name of an agent is no pattern.
 * A key that nobody knows is a problem, not an empty piece of path.
 */
export function fillTemplate(
  template: string,
  keys: Readonly<Record<string, string>> = {},
): { path: string; isPattern: boolean } | NoLog {
  const known = new Map([["home", homedir()], ...Object.entries(keys)]);
  const missing = [...template.matchAll(KEY)].map(([, key = ""]) => key).filter((key) => !known.has(key));
  const [first] = missing;
  if (first !== undefined) {
    const keysThere = [...known.keys()].map((key) => `{${key}}`).join(", ");
    return {
      problem: `the log's path ${template} asks for {${first}}, which is not known here (${keysThere})`,
    };
  }
  if (template === "") return { problem: "the log has neither a path nor a folder" };
  const isPattern = /[*?]/.test(template);
  const asItIs = (text: string) => (isPattern ? text.replace(/[*?\\]/g, "\\$&") : text);
  const filled = template.replace(KEY, (_, key: string) => asItIs(known.get(key) ?? ""));
  const path = /^~(?:\/|$)/.test(template) ? asItIs(homedir()) + filled.slice(1) : filled;
  return { path, isPattern };
}

const KEY = /\{([A-Za-z][\w-]*)\}/g;
