import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Runner, runProgram } from "../../system/exec.ts";
import { openProc } from "../../system/proc.ts";
import { lookAt, madeUpProc, temporaryFolder } from "../kit/signals.fixture.ts";
import { systemdSettings, systemdSignal } from "./index.ts";

/** A `systemctl` that shows what we say, on a real process boundary. */
function world() {
  const folder = temporaryFolder();
  const program = join(folder, "systemctl");
  const shown = join(folder, "shown");
  writeFileSync(program, `#!/bin/sh\necho "$@" > '${folder}/asked'\ncat '${shown}'\n`);
  chmodSync(program, 0o755);
  const show = (active: string, more: Record<string, string | number> = {}) => {
    const all = { LoadState: "loaded", ActiveState: active, Result: "success", ExecMainStatus: 0, ...more };
    writeFileSync(
      shown,
      Object.entries(all)
        .map(([key, value]) => `${key}=${value}\n`)
        .join(""),
    );
  };
  const made = madeUpProc();
  const run: Runner = (_, args, abort) => runProgram(program, args, abort);
  const settings = systemdSettings.parse({ unit: "agent.service" });
  const proc = openProc(made.root);
  const open = (memory?: unknown) => systemdSignal(settings, memory, { run, proc });
  return { made, show, open };
}

test("a unit that runs is present with the life of its process, and a new one is followed", async () => {
  const { made, show, open } = world();
  made.put(7);
  made.put(8, { start: 200 });
  show("active", { SubState: "running", MainPID: 7 });
  const signal = open();
  expect(await signal.look(lookAt(1))).toEqual([
    {
      kind: "present",
      signal: "systemd",
      at: 1,
      incarnation: { pid: 7, startTime: "100", bootId: "boot-1" },
    },
  ]);
  expect(await signal.look(lookAt(2))).toEqual([]);
  show("active", { SubState: "running", MainPID: 8 });
  expect(await signal.look(lookAt(3))).toMatchObject([{ kind: "present", incarnation: { pid: 8 } }]);
});

const failed = (result: string, status: number) => ({ Result: result, ExecMainStatus: status, MainPID: 0 });

test.each([
  { name: "failed with a status", active: "failed", more: failed("exit-code", 3), exit: "exit 3" },
  { name: "was killed", active: "failed", more: failed("signal", 9), exit: "signal SIGKILL" },
  { name: "ran out of time", active: "failed", more: failed("timeout", 15), exit: "timeout" },
  { name: "was stopped", active: "inactive", more: failed("success", 0), exit: "exit 0", clean: true },
  {
    name: "waits to be started again",
    active: "activating",
    more: { ...failed("exit-code", 1), SubState: "auto-restart" },
    exit: "exit 1; systemd will restart it",
  },
])("a unit that $name is gone", async ({ active, more, exit, clean = false }) => {
  const { made, show, open } = world();
  made.put(7);
  show("active", { MainPID: 7 });
  const before = open();
  await before.look(lookAt(1));
  show(active, more);
  const gone = { kind: "gone", at: 1, clean, exit, incarnation: { pid: 7 } };
  const after = open(JSON.parse(JSON.stringify(before.memory?.())));
  for (const signal of [before, after]) {
    expect(await signal.look(lookAt(2))).toMatchObject([{ ...gone, seenAt: 2 }]);
    expect(await signal.look(lookAt(3))).toEqual([]);
  }
});

test.each([
  { name: "was not started", active: "inactive", more: {}, says: "has not been started" },
  { name: "does not exist", active: "inactive", more: { LoadState: "not-found" }, says: "has no unit" },
])("a unit that $name is no death", async ({ active, more, says }) => {
  const { show, open } = world();
  show(active, more);
  expect(await open().look(lookAt(1))).toMatchObject([
    { kind: "degraded", problem: expect.stringContaining(says) },
  ]);
});

test("a unit that is on its way out says nothing yet", async () => {
  const { made, show, open } = world();
  made.put(7);
  show("active", { MainPID: 7 });
  const signal = open();
  await signal.look(lookAt(1));
  show("deactivating", { MainPID: 7 });
  expect(await signal.look(lookAt(2))).toEqual([]);
});

test.each([
  { name: "is not there", ran: { how: "missing" }, says: "systemd is not available here" },
  { name: "hangs", ran: { how: "failed", problem: "systemctl did not answer in time" }, says: "in time" },
  {
    name: "has no bus",
    ran: { how: "ended", status: 1, stdout: "", stderr: "Failed to connect to bus: Host is down" },
    says: "Host is down",
  },
] as const)("where systemd $name that is said, and is no death", async ({ ran, says }) => {
  const settings = systemdSettings.parse({ unit: "agent.service", user: true });
  const signal = systemdSignal(settings, { seenAt: 1 }, { run: async () => ran });
  expect(await signal.look(lookAt(2))).toMatchObject([
    { kind: "degraded", problem: expect.stringContaining(says) },
  ]);
});

test("a unit of our user is asked for as such", async () => {
  const asked: (readonly string[])[] = [];
  const run: Runner = async (_, args) => {
    asked.push(args);
    return { how: "missing" };
  };
  await systemdSignal({ unit: "a.service", user: true }, undefined, { run }).look(lookAt(1));
  expect(asked).toEqual([
    ["--user", "show", "-p", expect.stringContaining("ActiveState"), "--", "a.service"],
  ]);
});

test.each(["", "-H evil", "a b", "../x"])("the unit name %j is refused", (unit) => {
  const { error } = systemdSettings.safeParse({ unit });
  expect(error?.issues[0]?.message).toBe("the name of a systemd unit such as agent.service");
});
