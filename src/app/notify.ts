import { environmentFor } from "../core/environment.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { systemClock } from "../system/clock.ts";
import { run } from "../system/exec.ts";

interface NotifierOptions {
  readonly log: Log;
  /** What systemd says of itself stands here, and is taken out of it. */
  readonly env?: NodeJS.ProcessEnv;
  readonly clock?: Pick<Clock, "after">;
  /** The program that sends. */
  readonly program?: string;
}

/** The longest delay that a timer of Node takes. */
const LONGEST_DELAY = 2 ** 31 - 1;
/** A manager that does not take a message within this is not waited for. */
const SEND_LIMIT = 10_000;

/**
 * Tells systemd how the daemon is, through `systemd-notify`, because Node has no datagram sockets of the file system.
 * Without `NOTIFY_SOCKET` it does nothing. It never throws: a watcher that cannot say that it is well still watches.
 * Messages arrive in the order in which they were given, since each one waits for the one before.
 */
export class Notifier {
  readonly #log: Log;
  readonly #clock: Pick<Clock, "after">;
  readonly #program: string;
  readonly #socket: string | undefined;
  /** How long systemd waits for a sign of life; undefined if it does not. */
  readonly #limit: number | undefined;
  #sent: Promise<void> = Promise.resolve();
  #complained = false;

  constructor({ log, env = process.env, clock = systemClock, program = "systemd-notify" }: NotifierOptions) {
    this.#log = log;
    this.#clock = clock;
    this.#program = program;
    this.#socket = env.NOTIFY_SOCKET || undefined;
    this.#limit = watchdogLimit(env);
    // With NotifyAccess=all everything that we start could speak for us: agents do not learn the address.
    for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete env[name];
  }

  /** Everything runs: at the start, and again after a reload. */
  ready(status: string): Promise<void> {
    return this.#send("READY=1", statusLine(status));
  }

  /** The config is read again; `ready` must follow, whether or not the new one is good. */
  reloading(): Promise<void> {
    return this.#send("RELOADING=1", `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`);
  }

  stopping(status: string): Promise<void> {
    return this.#send("STOPPING=1", statusLine(status));
  }

  /** One line for `systemctl status`. */
  status(text: string): Promise<void> {
    return this.#send(statusLine(text));
  }

  /**
   * Gives the sign of life that systemd waits for, twice in the time that it waits, but only if the counter moved since
   * the last one: a loop that hangs is started anew, even if timers still fire. A loop that is only late is looked at
   * more often until it moves, so that it is not killed for having been late once. The answer ends it.
   */
  watchdog(progress: () => number): () => void {
    if (this.#socket === undefined || this.#limit === undefined) return () => {};
    const pace = Math.min(this.#limit / 2, LONGEST_DELAY);
    let last = progress();
    let ended = false;
    let cancel = this.#clock.after(pace, look.bind(this));
    return () => {
      ended = true;
      cancel();
    };

    function look(this: Notifier): void {
      const now = progress();
      const moved = now !== last;
      last = now;
      if (moved) void this.#send("WATCHDOG=1");
      if (!ended) cancel = this.#clock.after(moved ? pace : pace / 8, look.bind(this));
    }
  }

  #send(...assignments: string[]): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined) return Promise.resolve();
    this.#sent = this.#sent.then(() => this.#run(assignments, socket));
    return this.#sent;
  }

  async #run(assignments: readonly string[], socket: string): Promise<void> {
    const env = environmentFor(process.env, { env: { NOTIFY_SOCKET: socket } });
    const ran = await run(this.#program, assignments, { env, timeout: SEND_LIMIT });
    if (ran.how === "missing") this.#complain(`${this.#program} is not installed`);
    else if (ran.how === "failed") this.#complain(ran.problem);
    else if (ran.status !== 0) this.#complain(ran.stderr.trim() || `exit ${ran.status}`);
  }

  #complain(problem: string): void {
    if (this.#complained) return;
    this.#complained = true;
    this.#log.warn({ problem }, "systemd cannot be told how we are; this is said once");
  }
}

/** The time in milliseconds, if systemd waits for this very process. */
function watchdogLimit({ WATCHDOG_USEC, WATCHDOG_PID }: NodeJS.ProcessEnv): number | undefined {
  if (WATCHDOG_PID && WATCHDOG_PID !== String(process.pid)) return undefined;
  const limit = Number(WATCHDOG_USEC) / 1000;
  return limit > 0 && Number.isFinite(limit) ? limit : undefined;
}

/** Assignments are separated by newlines: a text with one could say anything. */
function statusLine(text: string): string {
  return `STATUS=${text.replaceAll(/\s+/g, " ")}`;
}
