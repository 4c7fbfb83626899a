import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { SECOND } from "../../core/duration.ts";
import { bold, cutLine, outputWidth, plain } from "./terminal.ts";

const ENTER = "\x1b[?1049h\x1b[?25l"; // The alternate screen, without a cursor.
const LEAVE = "\x1b[?25h\x1b[?1049l";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type Ending = (typeof SIGNALS)[number];

/** One key: an arrow and its like as their sequence, everything else as its character. */
const KEYS = /\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Za-z]|./gsu;
const CTRL_C = "\x03";
const CTRL_Z = "\x1a";

export interface FullScreen {
  /** What is shown in so many rows. Each line is cut to the terminal's width. */
  draw(rows: number): string;
  /** Called every second. One that fails is shown, and the next one may succeed. */
  refresh(): Promise<void>;
  /** Answers "end" to leave, and "again" to be refreshed at once. In raw mode Ctrl-C is a key too, and always ends. */
  key(key: string): Promise<"end" | "again" | undefined>;
}

/** The terminal while a command has all of it. */
export interface Taken {
  /** Gives the terminal to something else for a while. */
  lend(to: () => void): void;
  paint(): void;
}

/**
 * Takes the whole terminal until a key or a signal ends it. However it ends, even by an error of ours, the terminal is as it
 * was before.
 */
export async function fullScreen(open: (taken: Taken) => FullScreen): Promise<void> {
  const { stdin, stdout } = process;
  const ending = new AbortController();
  const ended = once(ending.signal, "abort").then(() => undefined);
  let problem: string | undefined;
  let signal: Ending | undefined;
  let wake = () => {};
  const paint = () => {
    const rows = stdout.rows || 24;
    const lines = problem === undefined ? [] : [bold(plain(problem))];
    lines.push(...screen.draw(rows - lines.length).split("\n"));
    const shown = lines.slice(0, rows).map((line) => `${cutLine(line, outputWidth())}\x1b[0m\x1b[K`);
    stdout.write(`\x1b[H${shown.join("\r\n")}\x1b[J`);
  };
  const end = (by?: Ending) => {
    signal ??= by;
    ending.abort();
  };
  const take = () => {
    if (stdin.isTTY === true) stdin.setRawMode(true);
    stdout.write(ENTER);
  };
  const leave = () => {
    if (stdin.isTTY === true) stdin.setRawMode(false);
    stdout.write(LEAVE);
  };
  const lend = (to: () => void) => {
    leave();
    try {
      to();
    } finally {
      take();
      paint();
    }
  };
  /** Stops this job, as Ctrl-Z does outside of raw mode; `fg` brings it back. */
  const suspend = () => {
    leave();
    process.once("SIGCONT", () => {
      take();
      paint();
    });
    process.kill(0, "SIGTSTP");
  };
  const screen = open({ lend, paint });
  // Keys are handled one after the other: each may wait for an answer.
  let line = Promise.resolve();
  const onKeys = (bytes: Buffer) => {
    const keys: readonly string[] = bytes.toString("utf8").match(KEYS) ?? [];
    if (keys.includes(CTRL_C)) return end("SIGINT");
    if (keys.includes(CTRL_Z)) return suspend();
    for (const key of keys)
      line = line.then(async () => {
        const answer = await screen.key(key).catch((error: unknown) => {
          problem = sayError(error);
        });
        if (answer === "end") return end();
        if (!ending.signal.aborted) paint();
        if (answer === "again") wake();
      });
  };

  process.once("exit", leave);
  for (const each of SIGNALS) process.on(each, end);
  if (stdin.isTTY === true) stdin.on("data", onKeys);
  take();
  stdout.on("resize", paint);
  try {
    while (!ending.signal.aborted) {
      paint();
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([sleep(SECOND, undefined, { signal: ending.signal }).catch(() => {}), woken]);
      if (ending.signal.aborted) break;
      // A watcher that does not answer must not keep anybody here.
      const refreshed = screen.refresh().then(() => undefined, sayError);
      problem = await Promise.race([refreshed, ended]);
    }
  } finally {
    stdout.off("resize", paint);
    stdin.off("data", onKeys).pause();
    for (const each of SIGNALS) process.off(each, end);
    process.off("exit", leave);
    leave();
  }
  // Whoever started us learns which signal it was; a request that is still open must not keep us.
  if (signal !== undefined) process.kill(process.pid, signal);
  else process.exit(0);
}

function sayError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
