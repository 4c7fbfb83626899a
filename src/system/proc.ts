import { readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { type Incarnation, sameIncarnation } from "../core/beat.ts";
import type { Instant } from "../core/duration.ts";
import { namesIn } from "./files.ts";

export type { Incarnation };

/** Where Linux tells of its processes. Nothing outside of this folder knows the path. */
const PROC = "/proc";

/** The kernel counts in hundredths of a second towards user space, whatever its own clock does. */
const TICK = 10;
/** A command line can hold megabytes of arguments; who it is stands at its beginning. */
const COMMAND_LENGTH = 4096;
/** Many agents that are looked for in one round share one list. */
const LIST_AGE = 1_000;
/** A fork bomb must not stop us. */
const MAX_DESCENDANTS = 256;

/** One look at a living process. */
export interface ProcessStat {
  readonly life: Incarnation;
  readonly parent: number;
  readonly group: number;
  /** The group in the foreground of its terminal; not above 0 if it has none. */
  readonly foreground: number;
  /** Suspended, as by Ctrl-Z. */
  readonly isStopped: boolean;
  /** Milliseconds of CPU time that it and its children that have ended used. */
  readonly cpu: number;
  /** Equal as long as it did nothing that the kernel counts. */
  readonly pulse: string;
}

/** A process below another one. */
export interface Relative {
  readonly pid: number;
  readonly name: string;
  readonly group: number;
  readonly startedAt: Instant;
}

/** How a process ended: with an exit code, or by a signal. */
export type ProcessEnd = { readonly code: number } | { readonly signal: number };

/** What the kernel tells of processes. One that has ended but was not waited for (a zombie) is not alive. */
export interface Proc {
  /** False where there is no such file system, as on macOS. */
  readable(): boolean;
  stat(pid: number): ProcessStat | undefined;
  isAlive(life: Incarnation): boolean;
  /** How a process ended for which its parent has not waited yet. Undefined if there is none, or if it is not ours to know. */
  ended(pid: number): ProcessEnd | undefined;
  /** It is there, but the system does not show it to us. */
  isHidden(pid: number): boolean;
  /** By the wall clock, which may have been set since: good for a doubt, not for a proof. */
  startedAt(life: Incarnation): Instant | undefined;
  command(pid: number): readonly string[];
  /** The folder in which it works; undefined if it is gone or not ours to look at. */
  folder(pid: number): string | undefined;
  /** All command lines, also those of zombies. A list that is less than a second older than `now` is used again. */
  commands(now?: Instant): ReadonlyMap<number, string>;
  /** Whether its first thread has children, for the price of one read. */
  hasChildren(pid: number): boolean;
  /** Its living descendants. */
  descendants(pid: number): readonly ProcessStat[];
  /** The same from one pass over all processes, which serves every agent for a second: dated, and by name. */
  family(pid: number, now: Instant): readonly Relative[];
}

export function openProc(root = PROC): Proc {
  const read = (path: string) => readText(`${root}/${path}`);
  const boot = bootId(root) ?? "";

  const stat = (pid: number): ProcessStat | undefined => {
    const text = read(`${pid}/stat`);
    return text === undefined || boot === "" ? undefined : parseStat(pid, text, boot);
  };
  const children = (pid: number): number[] =>
    namesIn(`${root}/${pid}/task`).flatMap((task) => numbers(read(`${pid}/task/${task}/children`)));
  const command = (pid: number): readonly string[] => {
    const bytes = Buffer.from((read(`${pid}/cmdline`) ?? "").slice(0, COMMAND_LENGTH), "latin1");
    return bytes.toString("utf8").split("\0").filter(Boolean);
  };
  let listed: { at: Instant; lines: ReadonlyMap<number, string> } | undefined;
  let passed: { at: Instant; below: ReadonlyMap<number, readonly Relative[]> } | undefined;

  return {
    readable: () => boot !== "",
    stat,
    isAlive: (life) => sameIncarnation(stat(life.pid)?.life, life),
    ended(pid) {
      const field = fieldsOf(read(`${pid}/stat`) ?? "");
      return field(3) === "Z" && isOurs(read(`${pid}/status`)) ? waitedEnd(Number(field(52))) : undefined;
    },
    isHidden: (pid) => root === PROC && read(`${pid}/stat`) === undefined && refuses(pid),
    startedAt(life) {
      const began = /^btime ([0-9]+)$/m.exec(read("stat") ?? "")?.[1];
      return began === undefined ? undefined : Number(began) * 1000 + Number(life.startTime) * TICK;
    },
    command,
    folder(pid) {
      try {
        return readlinkSync(`${root}/${pid}/cwd`);
      } catch {
        return undefined;
      }
    },
    commands(now) {
      if (now !== undefined && isRecent(listed, now)) return listed.lines;
      const lines = new Map(pids(root).map((pid) => [pid, command(pid).join(" ")]));
      if (now !== undefined) listed = { at: now, lines };
      return lines;
    },
    hasChildren: (pid) => (read(`${pid}/task/${pid}/children`) ?? "") !== "",
    descendants(pid) {
      const found: ProcessStat[] = [];
      const asked = [pid];
      for (let next = asked.pop(); next !== undefined; next = asked.pop()) {
        for (const child of children(next)) {
          const seen = stat(child);
          if (seen === undefined) continue;
          found.push(seen);
          if (found.length === MAX_DESCENDANTS) return found;
          asked.push(child);
        }
      }
      return found;
    },
    family(pid, now) {
      if (!isRecent(passed, now)) passed = { at: now, below: relatives(root, now) };
      const found: Relative[] = [];
      const asked = [pid];
      for (let next = asked.pop(); next !== undefined; next = asked.pop()) {
        for (const child of passed.below.get(next) ?? []) {
          if (found.length === MAX_DESCENDANTS) return found;
          found.push(child);
          asked.push(child.pid);
        }
      }
      return found;
    },
  };
}

function isRecent<T extends { readonly at: Instant }>(list: T | undefined, now: Instant): list is T {
  return list !== undefined && now >= list.at && now - list.at < LIST_AGE;
}

/** All living processes by their parents. They are dated by the machine's uptime: the wall clock may have been set since. */
function relatives(root: string, now: Instant): ReadonlyMap<number, readonly Relative[]> {
  const uptime = Number(readText(`${root}/uptime`)?.split(" ")[0] ?? Number.NaN) * 1000;
  const below = new Map<number, Relative[]>();
  for (const pid of pids(root)) {
    const text = readText(`${root}/${pid}/stat`);
    const stat = text === undefined ? undefined : parseStat(pid, text, "");
    if (text === undefined || stat === undefined) continue;
    const startedAt = Math.min(now, Math.round(now - uptime + Number(stat.life.startTime) * TICK));
    const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
    const siblings = below.get(stat.parent) ?? [];
    siblings.push({ pid, name, group: stat.group, startedAt });
    below.set(stat.parent, siblings);
  }
  return below;
}

/** The life that has this pid now; undefined if there is none, or where the system does not tell. */
export function incarnationOf(pid: number): Incarnation | undefined {
  const text = readText(`${PROC}/${pid}/stat`);
  const boot = bootId();
  return text === undefined || boot === undefined ? undefined : parseStat(pid, text, boot)?.life;
}

/** What this start of the machine is called; undefined where the system does not tell. */
export function bootId(root = PROC): string | undefined {
  return readText(`${root}/sys/kernel/random/boot_id`)?.trim() || undefined;
}

/** The name of the space in which our pids count; a container may have one of its own. */
export function pidNamespace(): string | undefined {
  try {
    return readlinkSync(`${PROC}/self/ns/pid`);
  } catch {
    return undefined;
  }
}

/** The environment that a process was started with; undefined if it is gone or not ours to look at. */
export function environmentOf(pid: number): Readonly<Record<string, string>> | undefined {
  const text = readText(`${PROC}/${pid}/environ`, "utf8");
  const set = text?.split("\0").filter((each) => each.includes("="));
  return set && Object.fromEntries(set.map((each) => each.split(/=(.*)/s, 2) as [string, string]));
}

/** The program that runs under a pid. */
export function programName(pid: number, root = PROC): string | undefined {
  return readText(`${root}/${pid}/comm`)?.trim();
}

/** The programs that run here; undefined where the system hides the processes of others. */
export function programNames(root: string): ReadonlySet<string> | undefined {
  if (programName(1, root) === undefined) return undefined;
  return new Set(pids(root).flatMap((pid) => programName(pid, root) ?? []));
}

/** Every process of a run: those of its group, and those that left it but still carry the run's mark in their environment. */
export function processesOf(group: number, [name, value]: readonly [string, string]): readonly number[] {
  const proc = openProc();
  return pids().filter((pid) => {
    const its = pid === process.pid ? undefined : proc.stat(pid)?.group;
    return its !== undefined && (its === group || environmentOf(pid)?.[name] === value);
  });
}

/** Whether a process here has this very file as its standard output. False where the system does not tell. */
export function isSomebodysOutput(file: { readonly dev: number; readonly ino: number }): boolean {
  return pids().some((pid) => {
    try {
      const { dev, ino } = statSync(`${PROC}/${pid}/fd/1`);
      return dev === file.dev && ino === file.ino;
    } catch {
      // It is gone, or it is not ours to look at.
      return false;
    }
  });
}

/** Where Linux tells how much CPU time this thread took; `threadCpu` reads it, also from another thread. */
export function threadFolder(): string | undefined {
  try {
    return realpathSync(`${PROC}/thread-self`);
  } catch {
    return undefined;
  }
}

/**
 * The fields of a `stat` file, by their numbers. The second is the program's name in parentheses, and it may itself contain
 * `)`, spaces and newlines. What follows the last `)` begins with field 3, the state.
 */
function fieldsOf(text: string): (number: number) => string {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (number) => fields[number - 3] ?? "";
}

/** The CPU time of a thread, in milliseconds, by its folder in `/proc`. */
export function threadCpu(folder: string): number | undefined {
  const text = readText(`${folder}/stat`);
  if (text === undefined) return undefined;
  const field = fieldsOf(text);
  return (Number(field(14)) + Number(field(15))) * TICK;
}

function parseStat(pid: number, text: string, bootId: string): ProcessStat | undefined {
  const field = fieldsOf(text);
  const startTime = field(22);
  if (startTime === "" || /^[ZXx]$/.test(field(3))) return undefined;
  const times = [14, 15, 16, 17].map(field);
  return {
    life: { pid, startTime, bootId },
    parent: Number(field(4)),
    group: Number(field(5)),
    foreground: Number(field(8)),
    isStopped: field(3) === "T",
    cpu: times.reduce((sum, ticks) => sum + Number(ticks), 0) * TICK,
    // Page faults (10, 11) count what is too short for the clock, and field 20 its threads.
    pulse: [...times, field(10), field(11), field(20)].join(" "),
  };
}

/** As `wait` tells it: a signal in the lower seven bits, an exit code in the next byte. */
function waitedEnd(status: number): ProcessEnd {
  const signal = status & 0x7f;
  return signal === 0 ? { code: (status >> 8) & 0xff } : { signal };
}

/** Of somebody else's process the kernel shows the exit code 0, whatever it was. */
function isOurs(status = ""): boolean {
  const own = process.geteuid?.();
  if (own === 0) return true;
  const users = /^Uid:\t(\d+)\t(\d+)\t(\d+)/m.exec(status)?.slice(1) ?? [];
  return users.length > 0 && users.every((user) => Number(user) === own);
}

/** A signal that we may not send reaches somebody. */
function refuses(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function numbers(text = ""): number[] {
  return text.split(" ").filter(Boolean).map(Number);
}

function pids(root = PROC): number[] {
  return namesIn(root)
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number);
}

function readText(path: string, encoding: "latin1" | "utf8" = "latin1"): string | undefined {
  try {
    return readFileSync(path, encoding);
  } catch {
    return undefined;
  }
}
