import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { madeUpProc, start, temporaryFolder, until } from "../signals/kit/signals.fixture.ts";
import { openProc } from "./proc.ts";

describe.runIf(existsSync("/proc/self/stat"))("the kernel's list of processes", () => {
  const proc = openProc();

  test("tells our own life, parent and command", () => {
    expect(proc.stat(process.pid)).toMatchObject({
      life: { pid: process.pid, bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim() },
      parent: process.ppid,
    });
    expect(proc.command(process.pid)[0]).toContain("node");
    expect(proc.commands().get(process.pid)).toContain("node");
  });

  test("dates our own start by the wall clock, to within seconds", () => {
    const life = proc.stat(process.pid)?.life;
    const began = life && proc.startedAt(life);
    expect(Math.abs((began ?? 0) - (Date.now() - process.uptime() * 1000))).toBeLessThan(5_000);
  });

  test.each([
    ["exit 0", { code: 0 }],
    ["exit 3", { code: 3 }],
    ["kill -9 $$", { signal: 9 }],
  ])("says that a zombie is not alive, and how it ended (%s)", async (script, end) => {
    // The shell becomes a sleep that never waits for the child that the shell had.
    const parent = start("sh", "-c", `sh -c '${script}' & exec sleep 60`);
    const children = `/proc/${parent.pid}/task/${parent.pid}/children`;
    const zombie = await until(() => {
      const pid = Number(readFileSync(children, "utf8").trim());
      return pid > 0 && /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")) && pid;
    });
    expect(() => process.kill(zombie, 0)).not.toThrow();
    expect(proc.stat(zombie)).toBeUndefined();
    expect(proc.ended(zombie)).toEqual(end);
    expect(proc.ended(process.pid)).toBeUndefined();
    expect(proc.descendants(parent.pid)).toEqual([]);
  });

  test("finds grandchildren", async () => {
    const parent = start("sh", "-c", "sh -c 'sleep 60; true'; true");
    // Who has been forked is for a moment still the program that it comes from.
    await until(() => {
      const commands = proc.descendants(parent.pid).map(({ life }) => proc.command(life.pid)[0]);
      return commands.join(" ") === "sh sleep";
    });
  });

  test("reads a name that looks like the fields around it", async () => {
    const strange = join(temporaryFolder(), ") Z 1\n2 (");
    copyFileSync("/bin/sleep", strange);
    const child = start(strange, "60");
    await once(child, "spawn");
    expect(proc.stat(child.pid)?.parent).toBe(process.pid);
  });
});

test("a life is not alive when its pid, its start or the boot is another", () => {
  const made = madeUpProc();
  made.put(7, { start: 100 });
  const proc = openProc(made.root);
  const life = { pid: 7, startTime: "100", bootId: "boot-1" };
  expect(proc.isAlive(life)).toBe(true);
  expect(proc.isAlive({ ...life, startTime: "99" })).toBe(false);
  expect(proc.isAlive({ ...life, bootId: "boot-0" })).toBe(false);
  expect(proc.isAlive({ ...life, pid: 8 })).toBe(false);
});

test("where there is no such file system nothing can be seen", () => {
  expect(openProc(join(temporaryFolder(), "none")).readable()).toBe(false);
});
