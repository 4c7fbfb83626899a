import { readFileSync, readlinkSync } from "node:fs";
import { type Runner, runProgram } from "./exec.ts";
import { namesIn } from "./files.ts";

/** How a terminal takes input. */
export interface TerminalMode {
  /** It hands over whole lines, as to a shell's `read`; programs that draw for themselves take single keys. */
  readonly canonical: boolean;
  /** What is typed is shown; not so for a password. */
  readonly echo: boolean;
  /** A process in the foreground waits for input from it; undefined where the system does not tell. */
  readonly isRead?: boolean;
}

/** The mode of a terminal such as `/dev/pts/3`, and whether one of these processes reads it. Undefined where it cannot be asked. */
export async function terminalMode(
  terminal: string,
  pids: readonly number[],
  run: Runner = runProgram,
  abort?: AbortSignal,
): Promise<TerminalMode | undefined> {
  if (process.platform !== "linux" || !terminal.startsWith("/dev/")) return undefined;
  const ran = await run("stty", ["-F", terminal, "-a"], abort);
  const mode = ran.how === "ended" && ran.status === 0 ? parseMode(ran.stdout) : undefined;
  if (mode === undefined || !mode.canonical) return mode;
  const isRead = readers(terminal, pids);
  return { ...mode, ...(isRead !== undefined && { isRead }) };
}

export function parseMode(text: string): TerminalMode | undefined {
  const words = new Set(text.split(/[\s;]+/));
  if (!words.has("icanon") && !words.has("-icanon")) return undefined;
  return { canonical: words.has("icanon"), echo: words.has("echo") };
}

/** The numbers of system calls by which a blocked thread is known. */
interface Calls {
  readonly read: string;
  /** Those that wait for several files at once: of `epoll` the files can be seen, of `select` and `poll` they cannot. */
  readonly epoll: readonly string[];
  readonly select: readonly string[];
  readonly poll: readonly string[];
}

/** Other architectures are not asked. */
const CALLS: Partial<Record<string, Calls>> = {
  x64: { read: "0", epoll: ["232", "281", "441"], select: ["23", "270"], poll: ["7", "271"] },
  arm64: { read: "63", epoll: ["22", "441"], select: ["72"], poll: ["73"] },
};

/**
 * Whether a thread of these processes is blocked in `read` on the terminal. Undefined if none could be asked, or if one waits for
 * several files of which the terminal is or may be one: it may ask a person, or listen for keys while it works.
 */
function readers(terminal: string, pids: readonly number[]): boolean | undefined {
  const calls = CALLS[process.arch];
  if (calls === undefined) return undefined;
  let isKnown = false;
  let mayRead = false;
  for (const pid of pids) {
    for (const task of namesIn(`/proc/${pid}/task`)) {
      const call = textOf(`/proc/${pid}/task/${task}/syscall`);
      if (call === undefined) continue;
      isKnown = true;
      const [number = "", file = "", count = ""] = call.split(" ");
      if (number === calls.read && isTerminal(`/proc/${pid}/fd/${Number(file)}`, terminal)) return true;
      mayRead ||= calls.epoll.includes(number) && isInSet(pid, Number(file), terminal);
      // Without any file it is only a way to sleep.
      const files = calls.select.includes(number) ? file : calls.poll.includes(number) ? count : "0";
      mayRead ||= Number(files) > 0 && hasOpen(pid, terminal);
    }
  }
  return isKnown && !mayRead ? false : undefined;
}

/** Whether an epoll of a process waits for input from the terminal. */
function isInSet(pid: number, epoll: number, terminal: string): boolean {
  const set = textOf(`/proc/${pid}/fdinfo/${epoll}`) ?? "";
  return [...set.matchAll(/^tfd:\s*(\d+) events:\s*([0-9a-f]+)/gm)].some(
    ([, file, events = "0"]) =>
      (Number.parseInt(events, 16) & 1) === 1 && isTerminal(`/proc/${pid}/fd/${file}`, terminal),
  );
}

function hasOpen(pid: number, terminal: string): boolean {
  return namesIn(`/proc/${pid}/fd`).some((file) => isTerminal(`/proc/${pid}/fd/${file}`, terminal));
}

function isTerminal(link: string, terminal: string): boolean {
  try {
    const target = readlinkSync(link);
    return target === terminal || target === "/dev/tty";
  } catch {
    return false;
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1").trim();
  } catch {
    return undefined;
  }
}
