import { closeSync, ftruncateSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { configFileIn } from "../config/find.ts";
import { MINUTE, type Millis, SECOND, sayDuration } from "../core/duration.ts";
import { given } from "../core/given.ts";
import type { Crash } from "../home/crashes.ts";
import { DaemonError } from "../home/daemon-error.ts";
import { type Home, homeAt } from "../home/home.ts";
import { lastCrash } from "../home/last-crash.ts";
import { LockedPidFile } from "../home/pid-file.ts";
import type { PidRecord } from "../home/pid-record.ts";
import { hasRoomToStart } from "../home/room.ts";
import { ask } from "../service/client.ts";
import { type Group, run, startGroup } from "../system/exec.ts";
import { makeFolder, openToAppend, readNamedFile } from "../system/files.ts";

export interface DaemonOptions {
  readonly home?: string | undefined;
  readonly config?: string | undefined;
  readonly listen?: string | undefined;
  /** A second PID file beside `rollcall.pid` in the home, which the daemon writes for others. */
  readonly pidFile?: string | undefined;
  /** Whether the daemon is a hub. */
  readonly hub?: true | undefined;
}

export interface DaemonState {
  readonly running: boolean;
  readonly pid?: number;
  /** In milliseconds. */
  readonly uptime?: Millis;
  readonly lastCrash?: Crash;
  readonly url?: string;
  readonly version?: string;
}

/** What a daemon does when it is told to stop or to read its config again. */
export interface SignalHandlers {
  readonly stop: (cause: string) => Promise<void>;
  readonly reload: () => Promise<void>;
}

/** A busy machine may take long; whatever fails says so itself and ends. */
const START_LIMIT: Millis = 2 * MINUTE;
const STOP_LIMIT: Millis = 30 * SECOND;
/** A daemon answers within milliseconds; a machine that is overloaded, or asleep, gets the benefit of the doubt. */
const ANSWER_LIMIT: Millis = 30 * SECOND;
/** Opening a large database, or bringing one up to date, takes minutes. */
const OPEN_LIMIT: Millis = 15 * MINUTE;
const LARGEST_OUTPUT = 64 * 1024 * 1024;
const LOOK_EVERY: Millis = 25;
const FORCED = 130;

/** The program that a detached daemon runs; from source it is the one of the checkout. */
const PROGRAM = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../bin/rollcall.js" : "../bin/rollcall.js", import.meta.url),
);

/** Told each second of waiting for a daemon to end, and last when it is killed. */
type OnWait = (waited: Millis, isKilled: boolean) => void;
/** Told again and again while a daemon starts, with its complaint if it has one. */
export type OnStarting = (waited: Millis, complaint: string | undefined) => void;

/**
 * Starts, stops and watches over the daemon of a home, from outside or from within.
 *
 *   stopped ──start──▶ starting ──ready──▶ running ──stop──▶ stopping ──▶ stopped
 *                          └──says why──▶ stopped              └─limit─▶ killed
 */
export class DaemonControl {
  readonly #options: DaemonOptions;
  readonly #home: Home;
  readonly #pidFile: LockedPidFile;

  constructor(options: DaemonOptions = {}) {
    this.#options = options;
    this.#home = homeAt(options.home);
    this.#pidFile = new LockedPidFile(this.#home.pidFile);
  }

  status(): DaemonState {
    const record = this.#pidFile.holder();
    const crash = given({ lastCrash: lastCrash(this.#home) });
    if (record === undefined) return { running: false, ...crash };
    return {
      running: true,
      pid: record.incarnation.pid,
      uptime: Date.now() - Date.parse(record.startedAt),
      version: record.version,
      ...(record.url === undefined ? {} : { url: record.url }),
      ...crash,
    };
  }

  /** Starts a daemon of its own session; resolves when it is ready, or throws what it said and leaves no process behind. */
  async start(limit?: Millis, onStarting?: OnStarting, abort?: AbortSignal): Promise<DaemonState> {
    if (this.#isReady()) return this.status();
    const output = join(this.#home.path, "logs", "daemon.out");
    makeFolder(dirname(output));
    const fd = openToAppend(output);
    ftruncateSync(fd);
    const { pidFile, hub } = this.#options;
    const more = [
      ...(pidFile === undefined ? [] : ["--pid-file", pidFile]),
      ...(hub === true ? ["--hub"] : []),
    ];
    const child = startGroup([process.execPath, PROGRAM, "up", ...this.#arguments(), ...more], {
      stdio: ["ignore", fd, fd],
      env: process.env,
    });
    closeSync(fd);
    let ended: string | undefined;
    void child.ended.then(({ code, signal, failure }) => {
      ended = failure?.message ?? `it ended with ${code ?? signal}`;
    });
    child.unref();
    const began = Date.now();
    while (!this.#isReady()) {
      const isThere = this.#pidFile.exists();
      // Another start may have been quicker: then ours ends, and theirs will be ready.
      if (ended !== undefined && !isThere) throw notStarted(output, ended);
      // One that has its PID file opens the database.
      const most = limit ?? (isThere ? OPEN_LIMIT : START_LIMIT);
      if (abort?.aborted === true || Date.now() - began > most) {
        await endChild(child, () => ended !== undefined);
        if (abort?.aborted === true) throw new DaemonError("not-started", "interrupted; no watcher runs");
        throw notStarted(output, `it was not ready within ${sayDuration(most)}`);
      }
      onStarting?.(Date.now() - began, complaintIn(output));
      await sleep(LOOK_EVERY);
    }
    return this.status();
  }

  #isReady(): boolean {
    return this.#pidFile.holder()?.url !== undefined;
  }

  #arguments(): string[] {
    const { home, config, listen } = this.#options;
    return [
      ...(home === undefined ? [] : ["--home", home]),
      ...(config === undefined ? [] : ["--config", config]),
      ...(listen === undefined ? [] : ["--listen", listen]),
    ];
  }

  /** Asks the daemon to stop, and kills it if it does not within the limit. False if none was running. */
  async stop(limit: Millis = STOP_LIMIT, onWait?: OnWait): Promise<boolean> {
    const record = this.#pidFile.holder();
    if (record === undefined) return false;
    await this.#end(record, limit, onWait);
    return true;
  }

  async #end(record: PidRecord, limit: Millis, onWait?: OnWait): Promise<void> {
    const began = Date.now();
    let told = 0;
    kill(record, "SIGTERM");
    while (this.#lives(record)) {
      const waited = Date.now() - began;
      if (waited > limit) {
        onWait?.(waited, true);
        return this.#force(record);
      }
      if (waited - told >= SECOND) {
        told = waited;
        onWait?.(waited, false);
      }
      await sleep(LOOK_EVERY);
    }
  }

  async #force(record: PidRecord): Promise<void> {
    kill(record, "SIGKILL");
    const deadline = Date.now() + 5 * SECOND;
    while (this.#lives(record)) {
      if (Date.now() > deadline) {
        throw new DaemonError("not-stopped", `process ${record.incarnation.pid} cannot be ended`);
      }
      await sleep(LOOK_EVERY);
    }
  }

  #lives(record: PidRecord): boolean {
    return this.#pidFile.isAlive(record);
  }

  /**
   * Ends a daemon that lives and does not answer, so that another can be started. Says what was wrong with the one that it
   * ended; undefined if all is well, or if none runs.
   */
  async endHung(limit: Millis = ANSWER_LIMIT): Promise<string | undefined> {
    const record = this.#pidFile.holder();
    if (record === undefined || (await this.#answers(record, limit))) return undefined;
    await this.#end(record, Math.min(limit, STOP_LIMIT));
    const { url, incarnation, startedAt } = record;
    return url === undefined
      ? `process ${incarnation.pid}, started ${startedAt}, was still not ready`
      : `process ${incarnation.pid} did not answer at ${url} for ${sayDuration(limit)}`;
  }

  /** Whether the daemon that runs answers within the limit. True if none runs, or if it is still starting. */
  async answers(limit: Millis): Promise<boolean> {
    const record = this.#pidFile.holder();
    return record === undefined || this.#answers(record, limit);
  }

  /** Whether a daemon answers within the limit, whatever its answer is, or ends by itself. */
  async #answers(record: PidRecord, limit: Millis): Promise<boolean> {
    if (record.url === undefined) return Date.now() - Date.parse(record.startedAt) < OPEN_LIMIT;
    const deadline = performance.now() + limit;
    while (this.#lives(record)) {
      const left = deadline - performance.now();
      if (left <= 0) return false;
      try {
        await ask(this.#home, record.url, "GET", "/healthz", undefined, Math.max(1, left));
        return true;
      } catch (error) {
        // 503 is an answer too: it cannot store anything, and says so.
        const { status, code } = error as { status?: number; code?: string };
        if (status !== undefined && code !== "no-answer") return true;
      }
      await sleep(LOOK_EVERY);
    }
    return true;
  }

  /** Stops the daemon and starts it again as it was started before, if it can start; else it goes on. */
  async restart(
    limit?: Millis,
    onWait?: OnWait,
    onStarting?: OnStarting,
    abort?: AbortSignal,
  ): Promise<DaemonState> {
    const next = this.asBefore();
    next.#missConfig();
    await next.#checkConfig();
    next.#checkRoom();
    await this.stop(limit, onWait);
    return next.start(undefined, onStarting, abort);
  }

  /** The manager with what the last daemon was started with, also one that was killed, unless told otherwise now. */
  asBefore(): DaemonControl {
    const before = this.#pidFile.read()?.startedWith ?? {};
    const { config = before.config, listen = process.env.ROLLCALL_LISTEN || before.listen } = this.#options;
    const { pidFile = before.pidFile, hub = before.hub } = this.#options;
    return new DaemonControl({ ...this.#options, config, listen, pidFile, hub });
  }

  /** Refuses to go on with the defaults where a file was in force: with it all declared agents would go. */
  #missConfig(): void {
    const file = this.#pidFile.holder()?.configFile;
    if (file === undefined || configFileIn(this.#home.path, this.#options.config) !== undefined) return;
    const right = "put it back; or, to go on with the defaults, stop the daemon and start it";
    const said = `${file}: it was in force, and it is gone; ${right}`;
    throw new DaemonError("not-restarted", `not restarted; the daemon that runs goes on:\n${said}`);
  }

  /** A daemon that runs on a full disk still watches; a new one would only wait for room. */
  #checkRoom(): void {
    const { path } = this.#home;
    if (!this.#pidFile.exists() || hasRoomToStart(path)) return;
    const said = `the disk of ${path} is full, so a new daemon could not start; make room, then: rollcall daemon restart`;
    throw new DaemonError("not-restarted", `not restarted; the daemon that runs goes on:\n${said}`);
  }

  /** In a process of its own, because it loads the modules of people's actions, as the daemon will. */
  async #checkConfig(): Promise<void> {
    const args = [PROGRAM, "config", "check", ...this.#arguments()];
    const ran = await run(process.execPath, args, { env: process.env });
    if (ran.how === "ended" && ran.status === 0) return;
    const stderr = ran.how === "ended" ? ran.stderr.trim().replace(/^rollcall: /gm, "") : "";
    const said = stderr || "rollcall config check could not be run";
    const goesOn = this.#pidFile.exists() ? "; the daemon that runs goes on" : "";
    throw new DaemonError("not-restarted", `not restarted${goesOn}:\n${said}`);
  }

  /** Tells the daemon to read its config again. */
  reload(): void {
    const record = this.#pidFile.holder();
    if (record === undefined)
      throw new DaemonError(
        "not-running",
        "no daemon is running in this home; start it: rollcall daemon start",
      );
    kill(record, "SIGHUP");
  }

  /**
   * For the daemon itself: SIGTERM and SIGINT stop it (a second one does not wait), and so does the end of the terminal
   * on which it was started. Any other SIGHUP reloads. Resolves when it has stopped.
   */
  setupSignalHandlers(handlers: SignalHandlers): Promise<void> {
    const isOnTerminal = process.stdin.isTTY === true || process.stdout.isTTY === true;
    return new Promise((done, failed) => {
      let stopping = false;
      const stop = (cause: string): void => {
        if (stopping) process.exit(FORCED);
        stopping = true;
        handlers.stop(cause).then(done, failed);
      };
      process.on("SIGTERM", () => stop("SIGTERM, which `rollcall daemon stop` and systemd send"));
      process.on("SIGINT", () => stop("SIGINT (Ctrl-C)"));
      process.on("SIGHUP", () => {
        if (isOnTerminal && !hasTerminal()) stop("its terminal was closed (SIGHUP)");
        else if (!stopping) handlers.reload().catch(failed);
      });
    });
  }
}

/** Whether the terminal on which this process was started is still there. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}

/** What a daemon that starts says on its standard error, which is why it is not ready yet. */
function complaintIn(output: string): string | undefined {
  return /^rollcall: (.*)$/m.exec(readNamedFile(output, LARGEST_OUTPUT).toString("utf8"))?.[1];
}

/** Ends a daemon that did not become ready: asked first, then killed. */
async function endChild(child: Group, isGone: () => boolean): Promise<void> {
  const deadline = Date.now() + STOP_LIMIT;
  child.signal("SIGTERM");
  while (!isGone()) {
    if (Date.now() > deadline) child.signal("SIGKILL");
    await sleep(LOOK_EVERY);
  }
}

function kill(record: PidRecord, signal: NodeJS.Signals): void {
  try {
    process.kill(record.incarnation.pid, signal);
  } catch {
    // It is gone already.
  }
}

function notStarted(output: string, why: string): DaemonError {
  const text = readNamedFile(output, LARGEST_OUTPUT).toString("utf8").trim();
  // The command that shows this puts its own name before each line.
  const said = text
    .replace(/^rollcall: /gm, "")
    .split("\n")
    .slice(-5)
    .join("\n");
  return new DaemonError("not-started", `the daemon did not start: ${why}\n${said}`.trim());
}
