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

/** The number of `read` on this machine, by which a blocked thread is known; other architectures are not asked. */
const READ: Partial<Record<string, string>> = { x64: "0", arm64: "63" };

/** Whether a thread of these processes is blocked in `read` on the terminal. Undefined if none could be asked. */
function readers(terminal: string, pids: readonly number[]): boolean | undefined {
  const read = READ[process.arch];
  let isKnown = false;
  for (const pid of pids) {
    for (const task of namesIn(`/proc/${pid}/task`)) {
      const call = textOf(`/proc/${pid}/task/${task}/syscall`);
      if (call === undefined || read === undefined) continue;
      isKnown = true;
      const [number, file = ""] = call.split(" ");
      if (number === read && isTerminal(`/proc/${pid}/fd/${Number(file)}`, terminal)) return true;
    }
  }
  return isKnown ? false : undefined;
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
