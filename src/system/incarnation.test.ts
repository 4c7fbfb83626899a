import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { incarnationOf } from "./proc.ts";

const children: ChildProcess[] = [];
function start(command: string, args: string[]): ChildProcess & { pid: number } {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
  children.push(child);
  if (child.pid === undefined) throw new Error(`${command} did not start`);
  return Object.assign(child, { pid: child.pid });
}
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

describe.runIf(existsSync("/proc/self/stat"))("an incarnation", () => {
  test("of this process has its pid, its start and the boot, and does not change", () => {
    const life = incarnationOf(process.pid);
    expect(life).toEqual({
      pid: process.pid,
      startTime: expect.stringMatching(/^[0-9]+$/),
      bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
    });
    expect(incarnationOf(process.pid)).toEqual(life);
  });

  test("is read rightly when the program's name looks like the fields around it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-life-"));
    const strange = join(folder, ") Z 1\n2 (");
    copyFileSync("/bin/sleep", strange);
    const child = start(strange, ["60"]);
    await once(child, "spawn");
    rmSync(folder, { recursive: true });
    const parent = Number(incarnationOf(process.pid)?.startTime);
    expect(Number(incarnationOf(child.pid)?.startTime)).toBeGreaterThanOrEqual(parent);
  });

  test("is none for a zombie, although a signal would still find it", async () => {
    // The shell tells its child's pid and becomes a program that never collects it; the child ends only then.
    const child = "until grep -q sleep /proc/$$/comm; do sleep 0.05; done";
    const parent = start("/bin/sh", ["-c", `(${child}) & echo $!; exec sleep 60`]);
    const [pid] = await once(parent.stdout ?? process.stdin, "data");
    await expect.poll(() => readFileSync(`/proc/${Number(pid)}/stat`, "utf8")).toMatch(/\) Z /);
    expect(incarnationOf(Number(pid))).toBeUndefined();
  });

  test("is none for a pid that nobody has", () => {
    expect(incarnationOf(2 ** 30)).toBeUndefined();
  });
});
