import { expect, test } from "vitest";
import type { Proc, ProcessStat } from "../../system/proc.ts";
import type { Pane } from "../../system/tmux-pane.ts";
import { frontOf } from "./front.ts";

/** A process by its pid: its parent, its group and its command line. */
type Processes = Record<number, readonly [parent: number, group: number, command: string, stopped?: true]>;

const PANE = 10;
const NOW = 1_000_000;

function front(inFront: number, processes: Processes, command: string, job?: number, age = 0) {
  const stat = (pid: number): ProcessStat | undefined => {
    const [parent, group, , stopped] = processes[pid] ?? [];
    if (parent === undefined || group === undefined) return undefined;
    return {
      ...{ life: life(pid), parent, group, foreground: inFront, isStopped: stopped === true },
      ...{ cpu: 0, pulse: "" },
    };
  };
  const childrenOf = (pid: number): ProcessStat[] =>
    Object.entries(processes).flatMap(([child, [parent]]) =>
      parent === pid ? [stat(Number(child)) ?? [], ...childrenOf(Number(child))].flat() : [],
    );
  const proc = {
    stat,
    isAlive: ({ pid }: { pid: number }) => pid in processes,
    command: (pid: number) => processes[pid]?.[2].split(" ") ?? [],
    descendants: childrenOf,
    startedAt: () => NOW - age,
  } as Partial<Proc> as Proc;
  const pane = { pid: PANE, command } as Pane;
  return frontOf(pane, proc, NOW, job === undefined ? undefined : life(job));
}

const life = (pid: number) => ({ pid, startTime: "1", bootId: "b" });
const shell = [1, PANE, "-bash"] as const;

test.each<[string, number, Processes, string, string | undefined]>([
  ["a shell at its prompt", 10, { 10: shell }, "bash", "shell"],
  ["a shell with its own start file", 10, { 10: [1, 10, "bash --rcfile x -i"] }, "bash", "shell"],
  ["a program in a shell", 11, { 10: shell, 11: [10, 11, "node agent.js"] }, "node", "program"],
  [
    "a program started by npx",
    11,
    { 10: shell, 11: [10, 11, "npm exec"], 12: [11, 11, "x"] },
    "npm",
    "program",
  ],
  ["a script in a shell", 11, { 10: shell, 11: [10, 11, "sh agent.sh"] }, "sh", "program"],
  ["a program that is the pane's own", 10, { 10: [1, 10, "node agent.js"] }, "node", "program"],
  ["a pipe whose first program has ended", 11, { 10: shell, 12: [10, 11, "tee log"] }, "", "program"],
  [
    "a subshell that runs a program",
    11,
    { 10: shell, 11: [10, 11, "-bash"], 12: [11, 11, "x"] },
    "bash",
    "program",
  ],
  ["a shell in a shell", 11, { 10: shell, 11: [10, 11, "bash"] }, "bash", "shell"],
  ["a shell of another user", 12, { 10: shell, 11: [10, 11, "su -"], 12: [11, 12, "-sh"] }, "sh", "shell"],
  [
    "a shell that a program opened",
    12,
    { 10: shell, 11: [10, 11, "vim"], 12: [11, 12, "bash"] },
    "bash",
    "program",
  ],
  [
    "a shell left by the pane's own script",
    11,
    { 10: [1, 10, "sh -c x"], 11: [10, 11, "bash"] },
    "bash",
    "shell",
  ],
  [
    "the pane's own script with a program",
    10,
    { 10: [1, 10, "sh -c x"], 11: [10, 10, "x"] },
    "sh",
    "program",
  ],
  ["the pane's own script before its program", 10, { 10: [1, 10, "sh -c x"] }, "sh", undefined],
  ["a pane that tmux has not started yet", 10, { 10: [1, 10, "tmux -S x"] }, "tmux", undefined],
  ["a shell of which tmux does not know yet", 10, { 10: shell }, "node", undefined],
  ["a process without a terminal", -1, { 10: shell }, "bash", undefined],
  ["a process that is not seen from here", 10, {}, "bash", undefined],
])("%s", (_, inFront, processes, command, says) => {
  expect(front(inFront, processes, command)?.machine.front).toBe(says);
});

test("the pane's own script that runs no program for a while is the program", () => {
  const script = { 10: [1, 10, "bash ask.sh"] } as const;
  expect(front(10, script, "bash", undefined, 4000)).toBeUndefined();
  expect(front(10, script, "bash", undefined, 6000)?.machine).toEqual({ front: "program", program: "bash" });
});

test("a shell in front of a program that is suspended, that runs on, or that is gone", () => {
  const job = front(11, { 10: shell, 11: [10, 11, "x"] }, "x")?.job;
  expect(job).toEqual(life(11));
  const says = (processes: Processes) => front(10, { 10: shell, ...processes }, "bash", 11);
  expect(says({ 11: [10, 11, "x", true] })).toEqual({
    machine: { front: "suspended", program: "bash" },
    job: life(11),
  });
  expect(says({ 11: [10, 11, "x"] })?.machine.front).toBe("background");
  expect(says({})).toEqual({ machine: { front: "shell", program: "bash" } });
});
