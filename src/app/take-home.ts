import { dirname, resolve } from "node:path";
import { expandTilde } from "../agent/home.ts";
import type { Config } from "../config/load.ts";
import { iso } from "../core/duration.ts";
import type { Flip } from "../core/liveness/verdict.ts";
import { Crashes } from "../home/crashes.ts";
import { DaemonError } from "../home/daemon-error.ts";
import { closeHome, type Home, pingSecretOf, tokenOf } from "../home/home.ts";
import { fileLog } from "../home/log.ts";
import { AlreadyRunningError, LockedPidFile } from "../home/pid-file.ts";
import type { PidRecord } from "../home/pid-record.ts";
import { Writer } from "../home/store.ts";
import type { Inbox } from "../ports/inbox.ts";
import type { Log } from "../ports/log.ts";
import { makeFolder } from "../system/files.ts";
import { incarnationOf } from "../system/proc.ts";
import { VERSION } from "../system/version.ts";
import type { Door } from "../web/door.ts";
import type { Closers } from "./closers.ts";
import type { Notifier } from "./notify.ts";

export interface UpOptions {
  readonly home?: string;
  readonly config?: string;
  readonly listen?: string;
  /** Another PID file for others, instead of `daemon.pidFile` in the config. */
  readonly pidFile?: string;
  /** Take what other hosts report, and tell people for all of them. */
  readonly hub?: boolean | undefined;
  /** End instead of watching on with a new database when the present one is damaged or its disk is full. */
  readonly strict?: boolean | undefined;
  /** Ends the wait for room on a full disk. */
  readonly abort?: AbortSignal;
  /** Told of every flip, for the terminal. */
  readonly onFlip?: (flip: Flip) => void;
  /** Told of every step of starting, so that a test can end the process at each. */
  readonly onStep?: (step: string) => void;
}

/** A start under way in a home that is ours. */
export interface Starting {
  readonly options: UpOptions;
  readonly home: Home;
  /** The config that the watcher starts with. */
  readonly first: Config;
  readonly closers: Closers;
  readonly step: (name: string) => void;
  readonly writer: Writer;
  readonly pidFile: OwnPidFile;
  readonly log: Log;
  /** Notes why we stop, for the last line of the log. */
  readonly stopsFor: (cause: string) => void;
  readonly crashes: Crashes;
  /** The token and the secret of pings: written anew if the files of the home vanish. */
  readonly secrets: { readonly token: string; readonly pingSecret: string };
  /** Set in a hub that shares its store with others. */
  readonly term?: Term | undefined;
}

/** The time during which one of several hubs owns the store. */
export interface Term {
  /** The epoch of the owner before. */
  readonly takeFrom: number;
  readonly onFenced: (error: Error) => void;
  /** Where we listen already. */
  readonly door: Door;
  readonly notifier: Notifier;
  /** What the other hubs took for the owner. */
  readonly inbox: Inbox;
  /** Hashes of what other hubs prove themselves with. */
  readonly hubKeys: () => readonly string[];
  /** Where this hub itself is reached. */
  readonly ownUrl: () => string;
  /** Whether another hub watches although we cannot store. */
  readonly othersWatch: () => Promise<boolean>;
  /** Requests are taken. */
  readonly onServing: (watcher: { readonly progress: number }) => void;
}

/** Takes the lock and writes the PID files: from here on no other watcher and no command writes in this home. */
export async function takeHome(
  options: UpOptions,
  home: Home,
  first: Config,
  closers: Closers,
): Promise<Starting> {
  const step = options.onStep ?? (() => {});
  step("begin");
  // Taken before anything else and given back after everything else: from here on commands wait for us.
  const writer = await Writer.takeForLife(home);
  closers.add(() => writer.release());
  step("lock");
  const pidFile = new OwnPidFile(home.pidFile, ownRecord(options, first));
  closers.add(() => pidFile.remove());
  step("pid-file");
  const { log, close } = fileLog(home.log);
  let cause: string | undefined;
  const stopsFor = (why: string) => {
    cause = why;
  };
  closers.add(() => {
    if (cause !== undefined) log.info({ cause, pid: process.pid }, "stopped");
    close();
  });
  const mode = closeHome(home);
  if (mode !== undefined)
    log.warn({ home: home.path, mode }, "the home was open to other users; its mode is 0700 now");
  closers.add(writeSecondPidFile(options, first, pidFile.record, log));
  const crashes = new Crashes(home.path);
  const secrets = { token: tokenOf(home), pingSecret: pingSecretOf(home) };
  return { options, home, first, closers, step, writer, pidFile, log, stopsFor, crashes, secrets };
}

/** The PID file of the home, with what this process tells others in it. */
export class OwnPidFile {
  readonly #file: LockedPidFile;
  #record: PidRecord;
  #before: PidRecord | undefined;

  constructor(path: string, record: PidRecord) {
    this.#file = new LockedPidFile(path);
    this.#record = record;
    this.#before = this.#file.write(record);
  }

  /** The record of a process that did not end cleanly, once. */
  takeBefore(): PidRecord | undefined {
    const before = this.#before;
    this.#before = undefined;
    return before;
  }

  get record(): PidRecord {
    return this.#record;
  }

  publish(more: Pick<PidRecord, "url" | "configFile"> = {}): void {
    this.#record = { ...this.#record, ...more };
    this.#file.write(this.#record);
  }

  remove(): void {
    this.#file.remove(this.#record);
  }
}

function ownRecord(
  { config, listen = process.env.ROLLCALL_LISTEN, pidFile, hub }: UpOptions,
  { file }: Config,
): PidRecord {
  const incarnation = incarnationOf(process.pid) ?? { pid: process.pid, startTime: "", bootId: "" };
  const startedWith = {
    ...(config === undefined ? {} : { config: resolve(config) }),
    ...(listen === undefined || listen === "" ? {} : { listen }),
    ...(pidFile === undefined ? {} : { pidFile: resolve(expandTilde(pidFile)) }),
    ...(hub === true ? { hub } : {}),
  };
  const started = { incarnation, startedAt: iso(Date.now()), version: VERSION, startedWith };
  return { ...started, ...(file === undefined ? {} : { configFile: resolve(file) }) };
}

/** Writes the PID file for others. One of the config that cannot be written is no reason not to watch. */
function writeSecondPidFile(
  { pidFile: named }: UpOptions,
  { daemon }: Config,
  record: PidRecord,
  log: Log,
): () => void {
  const pidFile = named ?? daemon.pidFile;
  if (pidFile === undefined) return () => {};
  const file = new LockedPidFile(resolve(expandTilde(pidFile)));
  const attempt = (act: () => void) => {
    try {
      act();
    } catch (error) {
      if (error instanceof AlreadyRunningError) throw error;
      log.warn({ file: file.path, problem: String(error) }, "daemon.pidFile: cannot be written");
    }
  };
  if (named === undefined) attempt(() => file.write(record));
  else writeNamed(file, record);
  return () => attempt(() => file.remove(record));
}

function writeNamed(file: LockedPidFile, record: PidRecord): void {
  try {
    makeFolder(dirname(file.path));
    file.write(record);
  } catch (error) {
    if (error instanceof AlreadyRunningError) throw error;
    throw new DaemonError(
      "not-started",
      `--pid-file ${file.path}: cannot be written: ${(error as Error).message}`,
    );
  }
}
