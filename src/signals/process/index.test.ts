import { once } from "node:events";
import { existsSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openProc } from "../../system/proc.ts";
import { lookAt, madeUpProc, start, temporaryFolder, until } from "../kit/signals.fixture.ts";
import { processSignal } from "./signal.ts";

const life = (pid: number, startTime: string) => ({ pid, startTime, bootId: "boot-1" });

describe("a process by its pid", () => {
  test("is present at first, and then says nothing as long as nothing changes", async () => {
    const made = madeUpProc();
    made.put(7);
    const signal = processSignal({ pid: 7 }, undefined, openProc(made.root));
    expect(await signal.look(lookAt(1000))).toEqual([
      { kind: "present", signal: "process", at: 1000, incarnation: life(7, "100") },
    ]);
    expect(await signal.look(lookAt(2000))).toEqual([]);
    expect(await signal.look(lookAt(3000, { fresh: true }))).toMatchObject([{ kind: "present", at: 3000 }]);
  });

  test("is gone, dated when it was last seen, and that is said once", async () => {
    const made = madeUpProc();
    made.put(7);
    const signal = processSignal({ pid: 7 }, undefined, openProc(made.root));
    await signal.look(lookAt(1000));
    await signal.look(lookAt(2000));
    made.remove(7);
    const gone = { kind: "gone", signal: "process", at: 2000, clean: false, incarnation: life(7, "100") };
    expect(await signal.look(lookAt(3000))).toEqual([{ ...gone, seenAt: 3000 }]);
    expect(await signal.look(lookAt(4000))).toEqual([]);
    expect(await signal.look(lookAt(5000, { fresh: true }))).toEqual([{ ...gone, seenAt: 5000 }]);
  });

  test("that was given to another process is gone, and the other one is not followed", async () => {
    const made = madeUpProc();
    made.put(7, { start: 100 });
    const signal = processSignal({ pid: 7 }, undefined, openProc(made.root));
    await signal.look(lookAt(1000));
    made.put(7, { start: 500 });
    expect(await signal.look(lookAt(2000))).toMatchObject([
      { kind: "gone", at: 1000, incarnation: life(7, "100") },
    ]);
    expect(await signal.look(lookAt(3000))).toEqual([]);
  });

  test("that went while we did not watch is gone since it was last seen", async () => {
    const made = madeUpProc();
    made.put(7);
    const before = processSignal({ pid: 7 }, undefined, openProc(made.root));
    await before.look(lookAt(1000));
    made.put(7, { start: 500 });
    const memory: unknown = JSON.parse(JSON.stringify(before.memory?.()));
    const after = processSignal({ pid: 7 }, memory, openProc(made.root));
    expect(await after.look(lookAt(9000, { fresh: true }))).toMatchObject([
      { kind: "gone", at: 1000, seenAt: 9000, incarnation: life(7, "100") },
    ]);
  });

  test("that was never there is no death", async () => {
    const signal = processSignal({ pid: 7 }, undefined, openProc(madeUpProc().root));
    expect(await signal.look(lookAt(1000))).toEqual([
      { kind: "degraded", signal: "process", at: 1000, problem: "there is no process 7", absent: true },
    ]);
  });

  test("cannot be seen where there is no /proc", async () => {
    const signal = processSignal({ pid: 7 }, undefined, openProc(join(temporaryFolder(), "none")));
    expect(await signal.look(lookAt(1000))).toMatchObject([{ kind: "degraded" }]);
  });
});

describe("work of a process", () => {
  const cases = [
    { name: "CPU time of its own", change: { cpu: 50 }, context: "unknown" },
    { name: "a new child", change: { children: [8] }, context: "tool" },
  ];
  test.each(cases)("is seen by $name", async ({ change, context }) => {
    const made = madeUpProc();
    made.put(7);
    made.put(8, { start: 200, parent: 7 });
    const signal = processSignal({ pid: 7 }, undefined, openProc(made.root));
    await signal.look(lookAt(1000));
    made.put(7, change);
    const activity = { kind: "activity", signal: "process", at: 11_000, seenAt: 11_000, context };
    expect(await signal.look(lookAt(11_000))).toEqual([activity]);
    expect(await signal.look(lookAt(21_000))).toEqual([]);
  });

  test("is seen by the CPU time of a grandchild while the agent itself waits", async () => {
    const made = madeUpProc();
    made.put(7, { children: [8] });
    made.put(8, { parent: 7, children: [9] });
    made.put(9, { parent: 8 });
    const signal = processSignal({ pid: 7 }, undefined, openProc(made.root));
    await signal.look(lookAt(1000));
    expect(await signal.look(lookAt(11_000))).toEqual([]);
    made.put(9, { parent: 8, cpu: 500 });
    expect(await signal.look(lookAt(21_000))).toMatchObject([{ kind: "activity", context: "tool" }]);
  });

  test("is not the CPU time of a timer", async () => {
    const made = madeUpProc();
    made.put(7);
    const signal = processSignal({ pid: 7 }, undefined, openProc(made.root));
    await signal.look(lookAt(1000));
    made.put(7, { cpu: 1 });
    expect(await signal.look(lookAt(11_000))).toEqual([]);
  });
});

describe("a process by its PID file", () => {
  function world() {
    const file = join(temporaryFolder(), "agent.pid");
    const made = madeUpProc();
    const write = (pid: number, at: number) => {
      writeFileSync(file, `${pid}\n`);
      utimesSync(file, at / 1000, at / 1000);
    };
    // In the made-up world the machine booted at a million seconds; 100 ticks are a second.
    const booted = 1_000_000_000;
    return { file, made, write, booted, proc: openProc(made.root) };
  }

  test("is followed into its next life when the file is written anew", async () => {
    const { file, made, write, booted, proc } = world();
    made.put(7);
    write(7, booted + 2000);
    const signal = processSignal({ pidFile: file }, undefined, proc);
    expect(await signal.look(lookAt(1))).toMatchObject([{ kind: "present", incarnation: life(7, "100") }]);
    made.put(8, { start: 900 });
    write(8, booted + 9500);
    expect(await signal.look(lookAt(2))).toMatchObject([{ kind: "present", incarnation: life(8, "900") }]);
  });

  test("is gone although its pid was given away, if the file is still the same", async () => {
    const { file, made, write, booted, proc } = world();
    made.put(7);
    write(7, booted + 2000);
    const signal = processSignal({ pidFile: file }, undefined, proc);
    await signal.look(lookAt(1));
    made.put(7, { start: 300 });
    expect(await signal.look(lookAt(2))).toMatchObject([{ kind: "gone", at: 1 }]);
    expect(await signal.look(lookAt(3))).toEqual([]);
  });

  test("that it left behind proves an end, dated by the file", async () => {
    const { file, write, booted, proc } = world();
    write(7, booted + 2000);
    const signal = processSignal({ pidFile: file }, undefined, proc);
    expect(await signal.look(lookAt(booted + 90_000))).toMatchObject([
      { kind: "gone", at: booted + 2000, clean: false },
    ]);
  });

  test("is in doubt if it began long after the file was written", async () => {
    const { file, made, write, booted, proc } = world();
    made.put(7, { start: 1_000_000 });
    write(7, booted + 2000);
    const signal = processSignal({ pidFile: file }, undefined, proc);
    expect(await signal.look(lookAt(1))).toMatchObject([{ kind: "degraded" }]);
  });

  test("lives on when somebody deletes the file", async () => {
    const { file, made, write, booted, proc } = world();
    made.put(7);
    write(7, booted + 2000);
    const signal = processSignal({ pidFile: file }, undefined, proc);
    await signal.look(lookAt(1));
    rmSync(file);
    expect(await signal.look(lookAt(2))).toEqual([]);
    made.remove(7);
    expect(await signal.look(lookAt(3))).toMatchObject([{ kind: "gone", at: 2 }]);
  });

  test.each([
    { name: "is missing", text: undefined },
    { name: "holds no pid", text: "soon\n" },
    { name: "holds the pid 0", text: "0\n" },
  ])("that $name is said, and is no death", async ({ text }) => {
    const { file, proc } = world();
    if (text !== undefined) writeFileSync(file, text);
    const signal = processSignal({ pidFile: file }, undefined, proc);
    expect(await signal.look(lookAt(1))).toMatchObject([{ kind: "degraded" }]);
  });
});

describe("the process of a cycle's journal", () => {
  function world() {
    const file = join(temporaryFolder(), "agent.json");
    const made = madeUpProc();
    const write = (more: object) =>
      writeFileSync(file, JSON.stringify({ agent: "a", cycle: 3, beganAt: "2025-01-15T12:00:00Z", ...more }));
    return { made, write, signal: processSignal({ journal: file }, undefined, openProc(made.root)) };
  }
  const incarnation = life(7, "100");
  const wrapper = life(6, "90");
  const now = Date.UTC(2025, 0, 15, 13);

  test("is gone without a clean end if the journal is open and both processes are gone", async () => {
    const { write, signal } = world();
    write({ incarnation, wrapper });
    expect(await signal.look(lookAt(now))).toEqual([
      {
        kind: "gone",
        signal: "process",
        at: Date.UTC(2025, 0, 15, 12),
        seenAt: now,
        clean: false,
        incarnation,
      },
    ]);
  });

  test("that ended is not told here while its wrapper is about to tell it", async () => {
    const { made, write, signal } = world();
    made.put(6, { start: 90 });
    write({ incarnation, wrapper });
    expect(await signal.look(lookAt(now))).toEqual([]);
  });

  test("is there although its wrapper is gone, and is gone later", async () => {
    const { made, write, signal } = world();
    made.put(7);
    write({ incarnation, wrapper });
    expect(await signal.look(lookAt(now))).toMatchObject([{ kind: "present", incarnation }]);
    made.put(7, { start: 500 });
    expect(await signal.look(lookAt(now + 1))).toMatchObject([{ kind: "gone", at: now, incarnation }]);
  });

  test("says nothing of a cycle that ended, and follows the next one", async () => {
    const { made, write, signal } = world();
    made.put(7);
    write({ incarnation, wrapper });
    await signal.look(lookAt(now));
    made.remove(7);
    write({ incarnation, wrapper, outcome: "ok", endedAt: "2025-01-15T12:30:00Z" });
    expect(await signal.look(lookAt(now + 1))).toEqual([]);
    made.put(8, { start: 800 });
    write({ incarnation: life(8, "800"), beganAt: "2025-01-15T12:40:00Z", cycle: 4 });
    expect(await signal.look(lookAt(now + 2))).toMatchObject([{ kind: "present" }]);
  });

  test("that began and ended while nobody looked is gone, although an earlier one was seen", async () => {
    const { made, write, signal } = world();
    const begins = (cycle: number, at: string, pid: number) =>
      write({ cycle, beganAt: at, incarnation: life(pid, String(100 * pid)), wrapper });
    made.put(7, { start: 700 });
    begins(4, "2025-01-15T12:59:00Z", 7);
    await signal.look(lookAt(now));
    made.remove(7);
    // The end of the one that was seen was told by its wrapper: only the next one's is not.
    begins(5, "2025-01-15T13:00:01Z", 8);
    const gone = (at: number, pid: number) => ({
      ...{ kind: "gone", at, clean: false, incarnation: life(pid, String(100 * pid)) },
    });
    expect(await signal.look(lookAt(now + 5000))).toMatchObject([gone(now + 1000, 8)]);
    expect(await signal.look(lookAt(now + 6000))).toEqual([]);
    begins(6, "2025-01-15T13:00:07Z", 9);
    expect(await signal.look(lookAt(now + 9000))).toMatchObject([gone(now + 7000, 9)]);
  });

  test("says nothing before the first cycle", async () => {
    expect(await world().signal.look(lookAt(now))).toEqual([]);
  });
});

describe.runIf(existsSync("/proc/self/stat"))("a real process by its command line", () => {
  const unique = () => `rollcall-match-${process.pid}-${Math.random().toString(36).slice(2)}`;

  test("is followed from one life to the next, and its end is seen at the next look", async () => {
    const name = unique();
    const first = start("sh", "-c", `read line; : ${name}`);
    const signal = processSignal({ match: name });
    let now = 0;
    const find = () =>
      until(async () => {
        now += 1000;
        const [fact] = await signal.look(lookAt(now));
        return fact?.kind === "present" && fact.incarnation?.pid;
      });
    expect(await find()).toBe(first.pid);
    const second = start("sh", "-c", `read line; : ${name}`);
    await once(second, "spawn");
    first.kill("SIGKILL");
    await once(first, "exit");
    expect(await find()).toBe(second.pid);
    second.kill("SIGKILL");
    await once(second, "exit");
    expect(await signal.look(lookAt(now + 1))).toMatchObject([{ kind: "gone", clean: false, at: now }]);
  });

  test("shares its search with the others of a round", async () => {
    const made = madeUpProc();
    const proc = openProc(made.root);
    const signals = ["a1", "b2"].map((match) => processSignal({ match }, undefined, proc));
    const look = (now: number) => Promise.all(signals.map((signal) => signal.look(lookAt(now))));
    await look(1);
    made.put(7, { command: "agent a1" });
    made.put(8, { command: "agent b2" });
    expect(await look(2)).toEqual([[], []]);
    expect(await look(10_000)).toMatchObject([[{ incarnation: { pid: 7 } }], [{ incarnation: { pid: 8 } }]]);
  });

  test("is the newest that matches", async () => {
    const name = unique();
    const made = madeUpProc();
    made.put(9, { start: 100, command: `tmux new-session agent ${name}` });
    made.put(5, { start: 200, command: `agent ${name}` });
    made.put(4, { start: 300, command: "other" });
    const signal = processSignal({ match: name }, undefined, openProc(made.root));
    expect(await signal.look(lookAt(1))).toMatchObject([{ incarnation: { pid: 5 } }]);
  });

  test("is never ourselves", async () => {
    const own = openProc().command(process.pid).join(" ");
    const pattern = `^${own.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&")}$`;
    const made = madeUpProc();
    made.put(process.pid, { command: own });
    const signal = processSignal({ match: pattern }, undefined, openProc(made.root));
    expect(await signal.look(lookAt(1))).toMatchObject([{ kind: "degraded" }]);
  });

  test("that works is seen to work, with a grandchild as its tool", async () => {
    const busy = start("sh", "-c", "read line; sh -c 'while :; do :; done'; true");
    const signal = processSignal({ pid: busy.pid });
    expect(await signal.look(lookAt(1000))).toMatchObject([{ kind: "present" }]);
    busy.stdin?.end("\n");
    let now = 1000;
    const activity = await until(async () => {
      now += 20;
      const facts = await signal.look(lookAt(now));
      return facts.find((fact) => fact.kind === "activity");
    });
    expect(activity).toMatchObject({ context: "tool" });
  });
});
