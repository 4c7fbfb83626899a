import { type ChildProcess, execFile, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import type { Readable } from "node:stream";
import type { Millis } from "../core/duration.ts";
import { environmentFor } from "../core/environment.ts";
import { processesOf } from "./proc.ts";

// Every program that Rollcall starts is started here, without a shell. Its environment is always named: the daemon's own
// holds secrets, so a program of the config gets `environmentFor` of it.

/** How a program of the system ended. */
export type Ran =
  | { readonly how: "ended"; readonly status: number; readonly stdout: string; readonly stderr: string }
  /** It is not installed. */
  | { readonly how: "missing" }
  /** It did not end in time, or could not be run: what happened. */
  | { readonly how: "failed"; readonly problem: string };

export type Runner = (program: string, args: readonly string[], abort?: AbortSignal) => Promise<Ran>;

interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Without one it may take as long as it likes. */
  readonly timeout?: Millis;
  /** What it gets when its time is over; TERM unless said. */
  readonly killSignal?: NodeJS.Signals;
  readonly signal?: AbortSignal;
}

const TIME_LIMIT = 5_000;
const LARGEST_OUTPUT = 64 * 1024 * 1024;
/** With these tmux and systemctl find their servers. */
const FINDS = ["TMUX_TMPDIR", "DBUS_SESSION_BUS_ADDRESS"];

/** Asks a program such as tmux or systemctl. Its messages are in English, because some of them have to be recognised. */
export const runProgram: Runner = async (program, args, signal) => {
  const env = environmentFor(process.env, { passEnv: FINDS, env: { LC_ALL: "C" } });
  const limits = { timeout: TIME_LIMIT, killSignal: "SIGKILL", ...(signal && { signal }) } as const;
  const ran = await run(program, args, { env, ...limits });
  return ran.how === "ended" ? { ...ran, stderr: inOneLine(ran.stderr) } : ran;
};

/** Runs a program to its end. */
export function run(program: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  return new Promise((done) => {
    execFile(program, [...args], { ...options, maxBuffer: LARGEST_OUTPUT }, (error, stdout, stderr) => {
      const code: unknown = error?.code ?? 0;
      if (code === "ENOENT") return done({ how: "missing" });
      if (typeof code === "number" && error?.signal == null)
        return done({ how: "ended", status: code, stdout, stderr });
      const late = error?.killed === true || code === "ABORT_ERR";
      const problem = late ? `${program} did not answer in time` : `${program} could not be run (${code})`;
      return done({ how: "failed", problem });
    });
  });
}

/** How a program ended that was waited for. Bytes stay bytes: a crontab need not be UTF-8. */
interface RanNow {
  /** Undefined if the program could not be started at all, null if a signal ended it. */
  readonly status: number | null | undefined;
  readonly stdout: Buffer;
  /** In one line, for an error that quotes it. */
  readonly stderr: string;
}

/** Runs a program to its end while everything else waits: for commands, and for what takes milliseconds. */
export function runNow(
  program: string,
  args: readonly string[],
  options: Pick<RunOptions, "env" | "timeout"> & { readonly cwd?: string; readonly input?: Buffer },
): RanNow {
  const { pid, error, status, stdout, stderr } = spawnSync(program, args, {
    input: Buffer.alloc(0),
    maxBuffer: LARGEST_OUTPUT,
    ...options,
  });
  // A program that ends before it has read its input (EPIPE) did run, and what it says counts.
  const started = pid !== 0;
  return {
    status: started ? status : undefined,
    stdout: stdout ?? Buffer.alloc(0),
    stderr: (started && inOneLine(stderr.toString("utf8"))) || error?.message || "",
  };
}

/** Runs a program on the terminal of this command, and waits for its end. Answers its exit code. */
export function runHere([program, ...args]: readonly [string, ...string[]], env: NodeJS.ProcessEnv): number {
  return spawnSync(program, args, { env, stdio: "inherit" }).status ?? 1;
}

/** How the first process of a group ended. */
export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Set if it could not even be started. */
  readonly failure?: NodeJS.ErrnoException;
}

/** So long the rest of the output of a program that has ended is waited for. */
const LAST_OUTPUT = 1_000;

/**
 * Runs a line of a shell to its end and passes on what it writes. It belongs to the group of this command, so that Ctrl-C ends both.
 * Answers how it ended, and the last `most` characters that it wrote.
 */
export async function runLine(
  line: string,
  options: Pick<RunOptions, "env">,
  show: (chunk: Buffer) => void,
  most: number,
): Promise<End & { readonly last: string }> {
  const child = spawn("/bin/sh", ["-c", line], { ...options, stdio: ["inherit", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  let length = 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      show(chunk);
      chunks.push(chunk);
      length += chunk.length;
      // A character has at most four bytes.
      while (length - (chunks[0]?.length ?? 0) > 4 * most) length -= chunks.shift()?.length ?? 0;
    });
  }
  const end = await new Promise<End>((done) => {
    child.once("error", (failure: NodeJS.ErrnoException) => done({ code: null, signal: null, failure }));
    child.once("close", (code, signal) => done({ code, signal }));
    // What it left running in the background may hold its output for as long as it likes.
    child.once("exit", (code, signal) => setTimeout(() => done({ code, signal }), LAST_OUTPUT).unref());
  });
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  return { ...end, last: Buffer.concat(chunks).toString("utf8").slice(-most) };
}

/** A program that was started and leads a process group of its own. */
export interface Group extends Pick<ChildProcess, "pid" | "stdin" | "stdout" | "stderr"> {
  readonly ended: Promise<End>;
  /** It has ended, and so has all that holds its pipes. */
  readonly closed: Promise<void>;
  /** Sends a signal to the program alone. */
  signal(signal: NodeJS.Signals): void;
  /** Kills it with everything that it started. */
  kill(): void;
  /** From now on we may end before it. */
  unref(): void;
}

/** Starts a program that leads a group, so that it ends as a whole, and does not end with us. */
export function startGroup(
  [program, ...args]: readonly [string, ...string[]],
  options: Pick<SpawnOptions, "cwd" | "stdio"> & { readonly env: NodeJS.ProcessEnv },
): Group {
  const child = spawn(program, args, { ...options, detached: true });
  const { pid, stdin, stdout, stderr } = child;
  // A program need not read what it is told.
  stdin?.on("error", () => {});
  return {
    ...{ pid, stdin, stdout, stderr },
    ended: new Promise((done) => {
      child.once("error", (failure) => done({ code: null, signal: null, failure }));
      child.once("exit", (code, signal) => done({ code, signal }));
    }),
    closed: new Promise((done) => {
      child.once("close", () => done());
    }),
    signal: (signal) => void child.kill(signal),
    kill: () => pid !== undefined && send(-pid, "SIGKILL"),
    unref: () => child.unref(),
  };
}

/** Keeps the last characters that a program writes; the answer tells them. */
export function tailOf(stream: Readable | null, most: number): () => string {
  let kept = "";
  stream?.setEncoding("utf8").on("data", (text: string) => {
    kept = (kept + text).slice(-most);
  });
  return () => kept;
}

/** Sends a signal to a whole group, and to every process with its mark that left it. */
export function signalAll(
  group: number,
  mark: Parameters<typeof processesOf>[1],
  signal: NodeJS.Signals,
): void {
  const strays = processesOf(group, mark);
  for (const pid of [-group, ...strays]) send(pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}

function inOneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
