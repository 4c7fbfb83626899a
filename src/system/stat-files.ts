import { closeSync, constants, fstatSync, openSync, readSync, stat, statSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { type LocalPaths, openLocalPaths } from "./local-paths.ts";

/** What is asked of a file system: the little that logs need. All of it may reject. */
export interface Files {
  stat(path: string): Promise<FileStat>;
  list(folder: string): Promise<readonly string[]>;
  /** At most `length` bytes from `offset`, with the state of the file that they were read from. */
  read(path: string, offset: number, length: number): Promise<FileBytes>;
  /** What can be asked without a promise; undefined if there is no such file, or it cannot be asked. */
  readonly local?: LocalPaths & {
    stat(path: string): FileStat | undefined;
    read(path: string, offset: number, length: number): FileBytes | undefined;
  };
}

export interface FileBytes {
  readonly bytes: Uint8Array;
  readonly stat: FileStat;
}

export interface FileStat {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

/** Of a file that is not there, an error would cost more than the question. */
const NO_ERROR = { throwIfNoEntry: false } as const;

/** A pipe that was put in the file's place must not hang the reader. */
const NO_WAIT = constants.O_RDONLY | constants.O_NONBLOCK;

export const realFiles: Files = {
  // Thousands a round: the form with a callback is the cheaper one.
  stat: (path) =>
    new Promise((resolve, reject) => {
      stat(path, (error, found) => (error === null ? resolve(found) : reject(error)));
    }),
  list: (folder) => readdir(folder),
  async read(path, offset, length) {
    const file = await open(path, NO_WAIT);
    try {
      const now = await file.stat();
      const wanted = Math.max(0, Math.min(length, now.size - offset));
      const bytes = new Uint8Array(wanted);
      let got = 0;
      while (got < wanted) {
        const { bytesRead } = await file.read(bytes, got, wanted - got, offset + got);
        if (bytesRead === 0) break;
        got += bytesRead;
      }
      return { bytes: bytes.subarray(0, got), stat: now };
    } finally {
      await file.close();
    }
  },
  local: {
    ...openLocalPaths(),
    stat(path) {
      try {
        return statSync(path, NO_ERROR);
      } catch {
        return undefined;
      }
    },
    read(path, offset, length) {
      try {
        const file = openSync(path, NO_WAIT);
        try {
          const now = fstatSync(file);
          const bytes = new Uint8Array(Math.max(0, Math.min(length, now.size - offset)));
          const got = now.isFile() ? readSync(file, bytes, 0, bytes.length, offset) : 0;
          return { bytes: bytes.subarray(0, got), stat: now };
        } finally {
          closeSync(file);
        }
      } catch {
        return undefined;
      }
    },
  },
};

/** Says why a file could not be had, in words that can stand after its path. */
export function sayFileError(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return SAYINGS[code] ?? `cannot be read (${code === "" ? String(error) : code})`;
}

const SAYINGS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist (a part of its path is not a folder)",
  EACCES: "may not be read by this user",
  EPERM: "may not be read by this user",
  EISDIR: "is a folder, not a file",
  ELOOP: "is a symbolic link that leads in a circle",
  EMFILE: "cannot be opened: too many files are open here",
  ENFILE: "cannot be opened: too many files are open here",
  EIO: "cannot be read: the disk reports an error",
  ESTALE: "cannot be read: the network disk is gone",
};
