import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Look } from "../../ports/signal.ts";

/** For the tests of signals: made-up looks and /proc, and real processes that end with their test. */
export function lookAt(now: number, more: Partial<Look> = {}): Look {
  return { now, abort: new AbortController().signal, fresh: false, ...more };
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-signal-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Asks again and again until the answer is there; the test's own time limit ends it. */
export async function until<T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** A process of its own group, as agents are. */
export function start(command: string, ...args: string[]): ChildProcess & { pid: number } {
  const child = spawn(command, args, { stdio: ["pipe", "ignore", "ignore"], detached: true });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} did not start`);
  onTestFinished(() => {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  });
  return Object.assign(child, { pid });
}

interface MadeUpProcess {
  readonly start?: number;
  readonly state?: string;
  readonly parent?: number;
  readonly cpu?: number;
  readonly faults?: number;
  readonly command?: string;
  readonly name?: string;
  readonly children?: readonly number[];
}

/** A /proc of our own, in which pids can be given again and CPU time moves when we say so. */
export function madeUpProc(boot = "boot-1") {
  const root = temporaryFolder();
  const write = (path: string, text: string) => {
    const file = join(root, path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, text);
  };
  write("sys/kernel/random/boot_id", `${boot}\n`);
  write("stat", "cpu 1 2 3\nbtime 1000000\nprocesses 5\n");
  write("uptime", "1000.00 2000.00\n");
  return {
    root,
    put(pid: number, made: MadeUpProcess = {}) {
      const { start: began = 100, state = "S", parent = 1, cpu = 0, faults = 0, children = [] } = made;
      const fields = [
        state,
        parent,
        pid,
        pid,
        0,
        -1,
        0,
        faults,
        0,
        0,
        0,
        cpu,
        0,
        0,
        0,
        20,
        0,
        1,
        0,
        began,
        0,
      ];
      write(`${pid}/stat`, `${pid} (${made.name ?? "agent"}) ${fields.join(" ")}\n`);
      write(`${pid}/cmdline`, `${(made.command ?? "agent").split(" ").join("\0")}\0`);
      write(`${pid}/task/${pid}/children`, children.map((child) => `${child} `).join(""));
    },
    remove(pid: number) {
      rmSync(join(root, String(pid)), { recursive: true });
    },
  };
}
