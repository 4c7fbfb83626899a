import { randomUUID } from "node:crypto";
import { closeSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { type BeatInput, checkAgentId, type EndOutcome } from "../../agent/beat-record.ts";
import { type CycleState, type Journal, writeJournal } from "../../agent/journal.ts";
import { writeBeat } from "../../agent/write-beat.ts";
import { agentsOf, type Config, defaultRule } from "../../config/load.ts";
import { formatDuration, iso, type Millis, SECOND } from "../../core/duration.ts";
import { fairChance } from "../../core/schedule/rule.ts";
import { type SessionLogs, sessionLogs } from "../../session-log/index.ts";
import { type End, type Group, signalAll, startGroup } from "../../system/exec.ts";
import { incarnationOf, processesOf } from "../../system/proc.ts";
import { wake } from "./wake.ts";

export interface RunOptions {
  readonly agent: string;
  readonly command: readonly [string, ...string[]];
  readonly home: string;
  readonly config: Config;
  readonly timeout?: Millis;
  /** How long a command may take to end after it was asked to. */
  readonly killGrace?: Millis;
  /** Told if the command could not even be started. */
  readonly onUnstarted?: (why: string) => void;
  /** Told if the command was ended because it took too long. */
  readonly onTimedOut?: (limit: Millis) => void;
  readonly onCrashed?: (crashed: CycleState, cycle: number) => void;
  readonly show: (bytes: Buffer) => void;
}

const KILL_GRACE: Millis = 10 * SECOND;
/** A log that has grown beyond this is put aside when the next cycle begins. */
const LARGEST_LOG = 10 * 1024 * 1024;
const TIMED_OUT = 124;

/**
 * Runs a command as one cycle of an agent: journal → process → wrapper's beats → outcome. The command writes straight
 * into the session log, so that it outlives both us and the daemon. Returns the exit code to end with.
 */
export async function run(options: RunOptions): Promise<number> {
  checkAgentId(options.agent);
  const logs = sessionLogs({ folder: join(options.home, "logs") });
  const { journal, crashed, lastCycle } = wake(options.agent, options.home, logs.path(options.agent));
  if (crashed !== undefined) {
    tellCrash(crashed, options.home);
    options.onCrashed?.(crashed, journal.cycle);
  }
  return new Cycle(options, logs, journal, lastCycle).run();
}

/** The crash of an earlier cycle, for the watcher: dated when that cycle last said something. */
function tellCrash({ agent, cycle, lastAction, lastAt, incarnation }: CycleState, home: string): void {
  const message = "crashed; found by the next wake";
  const ended = { cycleEvent: "ended", outcome: "crashed", status: "error", message } as const;
  writeBeat(
    { agent, source: "wrapper", cycle, action: lastAction, incarnation, sentAt: lastAt, ...ended },
    home,
  );
}

/** One cycle under way: starting → running → (asked to end → killed) → ended. */
class Cycle {
  readonly #options: RunOptions;
  readonly #logs: SessionLogs;
  readonly #mark = ["ROLLCALL_RUN", randomUUID()] as const;
  readonly #lastCycle: string | undefined;
  #journal: Journal;
  #child: Group | undefined;
  #asked: "time-out" | NodeJS.Signals | undefined;
  #killTimer: NodeJS.Timeout | undefined;

  constructor(options: RunOptions, logs: SessionLogs, journal: Journal, lastCycle: string | undefined) {
    this.#options = options;
    this.#logs = logs;
    this.#journal = journal;
    this.#lastCycle = lastCycle;
  }

  async run(): Promise<number> {
    const { agent, show } = this.#options;
    const { fd, size } = this.#logs.open(agent, LARGEST_LOG);
    const stopFollowing = this.#logs.follow(agent, size, show);
    const stopForwarding = this.#forward();
    const ended = this.#start(fd);
    closeSync(fd);
    const beats = setInterval(() => this.#beat(), this.#pace());
    const timeout = this.#timeout();
    const end = await ended;
    clearInterval(beats);
    clearTimeout(timeout);
    if (this.#asked !== undefined) await this.#sweep();
    clearTimeout(this.#killTimer);
    stopForwarding();
    stopFollowing();
    return this.#finish(end);
  }

  #start(logFd: number): Promise<End> {
    const child = startGroup(this.#options.command, {
      stdio: ["inherit", logFd, logFd],
      env: { ...process.env, ...this.#environment() },
    });
    this.#child = child;
    const incarnation = child.pid === undefined ? undefined : incarnationOf(child.pid);
    if (incarnation !== undefined) {
      this.#journal = { ...this.#journal, incarnation };
      writeJournal(this.#journal, this.#options.home);
    }
    this.#beat({ cycleEvent: "begun" });
    return child.ended;
  }

  #environment(): Record<string, string> {
    const [name, value] = this.#mark;
    return {
      [name]: value,
      ROLLCALL_HOME: this.#options.home,
      ROLLCALL_AGENT: this.#options.agent,
      ROLLCALL_CYCLE: String(this.#journal.cycle),
      ...(this.#journal.recovering === true ? { ROLLCALL_RECOVERING: "1" } : {}),
      ...(this.#lastCycle === undefined ? {} : { ROLLCALL_LAST_CYCLE: this.#lastCycle }),
    };
  }

  #beat(more: Partial<BeatInput> = {}): void {
    const { agent, home } = this.#options;
    const { cycle, incarnation } = this.#journal;
    writeBeat({ agent, source: "wrapper", cycle, incarnation, ...more }, home);
  }

  /** Often enough that a silent job is never overdue, and not more often than is of use. */
  #pace(): Millis {
    const { config, agent } = this.#options;
    const rule = agentsOf(config, 0).find(({ id }) => id === agent)?.rule ?? defaultRule(config);
    const promised = "every" in rule ? fairChance(rule) : rule.grace;
    return Math.min(60 * SECOND, Math.max(200, promised / 3));
  }

  /** Signals that we get are for the command: it may end in its own way. */
  #forward(): () => void {
    const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
    const forward = (signal: NodeJS.Signals) => this.#ask(signal, signal);
    for (const signal of signals) process.on(signal, forward);
    return () => {
      for (const signal of signals) process.off(signal, forward);
    };
  }

  #timeout(): NodeJS.Timeout | undefined {
    const { timeout } = this.#options;
    if (timeout === undefined) return undefined;
    return setTimeout(() => this.#ask("time-out", "SIGTERM"), Math.min(timeout, 2 ** 31 - 1));
  }

  #ask(why: "time-out" | NodeJS.Signals, signal: NodeJS.Signals): void {
    this.#asked ??= why;
    const group = this.#child?.pid;
    if (group === undefined) return;
    signalAll(group, this.#mark, signal);
    this.#killTimer ??= setTimeout(
      () => signalAll(group, this.#mark, "SIGKILL"),
      this.#options.killGrace ?? KILL_GRACE,
    );
  }

  /** After it was asked to end nothing of it may stay behind: what outlives its first process is killed. */
  async #sweep(): Promise<void> {
    const group = this.#child?.pid;
    if (group === undefined) return;
    const deadline = Date.now() + (this.#options.killGrace ?? KILL_GRACE);
    while (processesOf(group, this.#mark).length > 0) {
      if (Date.now() >= deadline) signalAll(group, this.#mark, "SIGKILL");
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  #finish(end: End): number {
    const { code, signal, failure } = end;
    const { outcome, exit } = this.#outcome(end);
    const endedAt = iso(Date.now());
    this.#journal = { ...this.#journal, endedAt, outcome, exit };
    const said =
      outcome === "ok"
        ? ({ status: "ok" } as const)
        : ({ status: this.#isStopped(end) ? "ok" : "error", message: exit } as const);
    this.#beat({ cycleEvent: "ended", outcome, ...said });
    writeJournal(this.#journal, this.#options.home);
    if (failure !== undefined) {
      this.#options.onUnstarted?.(exit);
      return failure.code === "ENOENT" ? 127 : 126;
    }
    if (this.#asked === "time-out") {
      this.#options.onTimedOut?.(this.#options.timeout ?? 0);
      return TIMED_OUT;
    }
    if (code !== null) return code;
    return 128 + (constants.signals[signal ?? "SIGTERM"] ?? 0);
  }

  /** Somebody asked it to stop, and it stopped: that is no failure. */
  #isStopped({ signal }: End): boolean {
    return signal !== null && signal === this.#asked;
  }

  #outcome({ code, signal, failure }: End): { outcome: EndOutcome; exit: string } {
    const [command] = this.#options.command;
    if (failure !== undefined)
      return { outcome: "error", exit: `could not start ${command}: ${failure.message}` };
    if (this.#asked === "time-out") {
      return { outcome: "killed", exit: `time-out after ${formatDuration(this.#options.timeout ?? 0)}` };
    }
    if (code === 0) return { outcome: "ok", exit: "exit 0" };
    if (code !== null) return { outcome: "error", exit: `exit ${code}` };
    return { outcome: this.#asked === undefined ? "crashed" : "killed", exit: `signal ${signal}` };
  }
}
