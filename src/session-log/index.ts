// What other programs import as `rollcall/session-log`, and the only way in which Rollcall writes session logs.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expandTilde, homeDir } from "../agent/home.ts";
import { CodedError } from "../core/coded-error.ts";
import { makeFolder } from "../system/files.ts";
import { follow, type OpenLog, openLog } from "./follow.ts";
import { type LogFile, sessionLog } from "./template.ts";

export type { OpenLog };

export interface SessionLogsOptions {
  /** The folder of the logs; `logs` in Rollcall's home unless given. */
  readonly folder?: string | undefined;
  /** Milliseconds since 1970; the machine's clock unless given. */
  readonly now?: (() => number) | undefined;
}

/** The logs of sessions in one folder, `<name>.log` each. */
export interface SessionLogs {
  /** Where the log of a session is, whether it exists or not. */
  path(name: string): string;
  /** When it was last written, in milliseconds since 1970; null if there is no such log. */
  mtime(name: string): Promise<number | null>;
  /** How many milliseconds ago it was last written; null if there is no such log. */
  age(name: string): Promise<number | null>;
  /** Its text, of a long one at most the last `most` bytes (1 MiB unless given); null if there is no such log. */
  read(name: string, most?: number): Promise<string | null>;
  /** Creates the folder for its owner alone, if it is missing. Answers with its path. */
  ensureDir(): Promise<string>;
  /** Opens the log to append to it. One larger than `largest` bytes is put aside first, as `<name>.log.1`. */
  open(name: string, largest?: number): OpenLog;
  /** Shows what is appended from an offset on. The answer shows the rest and stops. */
  follow(name: string, from: number, show: (bytes: Buffer) => void): () => void;
}

/** A name that is none (`bad-name`), or a log that is there and cannot be read (`unreadable`). */
export class SessionLogError extends CodedError<"bad-name" | "unreadable"> {
  override readonly name = "SessionLogError";
}

const MOST = 1024 * 1024;

export function sessionLogs(options: SessionLogsOptions = {}): SessionLogs {
  const { now = Date.now } = options;
  // Read at each call: a program may set ROLLCALL_HOME after it has loaded us.
  const folder = () => resolve(expandTilde(options.folder ?? join(homeDir(), "logs")));
  const path = (name: string) => join(folder(), `${checked(name)}.log`);

  const found = async (name: string) => {
    const at = path(name);
    const log = sessionLog({ path: "{log}", keys: { log: at } });
    const file = await log.find(now());
    if (!("problem" in file)) return { log, file };
    if (!existsSync(at)) return null;
    throw new SessionLogError("unreadable", file.problem);
  };
  const fileOf = async (name: string): Promise<LogFile | null> => (await found(name))?.file ?? null;

  return {
    path,
    mtime: async (name) => (await fileOf(name))?.modifiedAt ?? null,
    async age(name) {
      const file = await fileOf(name);
      return file === null ? null : Math.max(0, now() - file.modifiedAt);
    },
    async read(name, most = MOST) {
      const there = await found(name);
      if (there === null) return null;
      const tail = await there.log.tail(there.file, most);
      if ("problem" in tail) throw new SessionLogError("unreadable", tail.problem);
      return new TextDecoder().decode(tail.bytes);
    },
    async ensureDir() {
      makeFolder(folder());
      return folder();
    },
    open: (name, largest) => openLog(path(name), largest),
    follow: (name, from, show) => follow(path(name), from, show),
  };
}

function checked(name: string): string {
  if (typeof name === "string" && /^[^/\0]{1,240}$/.test(name) && name !== "." && name !== "..") return name;
  const right = "a file's name without / and without .log, such as allegro";
  throw new SessionLogError("bad-name", `the name of the log is ${JSON.stringify(name)}; expected ${right}`);
}

export const { path, mtime, age, read, ensureDir } = sessionLogs();
