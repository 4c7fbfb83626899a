import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Observation } from "../../core/liveness/observation.ts";
import type { Frame } from "../../core/screen/screen.ts";
import { type Runner, runProgram } from "../../system/exec.ts";
import { openProc } from "../../system/proc.ts";
import { Tmux } from "../../system/tmux.ts";
import { lookAt, temporaryFolder, until } from "../kit/signals.fixture.ts";
import { tmuxSignal } from "./index.ts";
import { pipePane } from "./pipe.ts";
import type { TmuxSettings } from "./settings.ts";

const installed = spawnSync("tmux", ["-V"]).status === 0;
if (!installed) console.warn("tmux is not installed: the tests with real panes are left out");

/** A tmux server of the test's own. Panes whose program ended are kept. */
function server() {
  const socketPath = join(temporaryFolder(), "tmux");
  const tmux = (...args: string[]) => {
    const done = spawnSync("tmux", ["-u", "-f", "/dev/null", "-S", socketPath, ...args], {
      encoding: "utf8",
    });
    if (done.status !== 0) throw new Error(`tmux ${args.join(" ")}: ${done.stderr}`);
    return done.stdout.trim();
  };
  onTestFinished(() => {
    spawnSync("tmux", ["-S", socketPath, "kill-server"]);
  });
  // Until the first session is there, no option can be set; this one holds the server.
  tmux("new-session", "-d", "-s", "keeper", "cat", ";", "set", "-g", "remain-on-exit", "on");
  const open = (session: string, command: string) => tmux("new-session", "-d", "-s", session, command);
  return { socketPath, tmux, open };
}

function watch(settings: TmuxSettings, memory?: unknown, run: Runner = runProgram, proc = openProc()) {
  const frames: Frame[] = [];
  const calls: string[] = [];
  const counting: Runner = (program, args, abort) => {
    calls.push(args.find((arg) => /^(?:list|capture)-/.test(arg)) ?? "");
    return run(program, args, abort);
  };
  const read = async (frame: Frame): Promise<Observation[]> => {
    frames.push(frame);
    return [];
  };
  const forgotten: string[] = [];
  const forget = () => void forgotten.push("what the last program has shown");
  const inner = tmuxSignal(settings, memory, { read, forget, run: counting, proc });
  // What the machine tells of the terminal has tests of its own.
  const look: typeof inner.look = async (at) =>
    (await inner.look(at)).filter(({ kind }) => kind !== "machine");
  return { signal: { ...inner, look }, frames, calls, forgotten };
}

describe.runIf(installed)("a tmux pane", () => {
  test("is present with its process, and unchanged it costs one question and no capture", async () => {
    const { socketPath, tmux, open } = server();
    open("work", "printf 'hello\\n'; exec sleep 600");
    const { signal, frames, calls } = watch({ session: "work", socketPath });
    const pid = Number(tmux("list-panes", "-t", "=work:", "-F", "#{pane_pid}"));
    const [first] = await signal.look(lookAt(Date.now()));
    expect(first).toMatchObject({ kind: "present", signal: "tmux", incarnation: { pid } });
    await until(async () => {
      await signal.look(lookAt(Date.now()));
      return frames.at(-1)?.screen.rows[0] === "hello";
    });
    // A minute on, nothing can have been written in the second of our last capture.
    await signal.look(lookAt(Date.now() + 60_000, { fresh: true }));
    calls.length = 0;
    expect(await signal.look(lookAt(Date.now() + 70_000))).toEqual([]);
    expect(calls).toEqual(["list-panes"]);
    expect(frames.at(-1)).toMatchObject({ bytes: 0, scrolled: 0, screen: { title: "", alternate: false } });
    expect(await signal.show?.("screen")).toContain("hello");
  });

  test("shows new output, its title and the alternate screen", async () => {
    const { socketPath, open } = server();
    const script = "printf '\\033]2;✳ think|ing\\007\\033[?1049hfull'; exec sleep 600";
    open("work", script);
    const { signal, frames } = watch({ target: "work:0.0", socketPath });
    // Somebody may look before the first round.
    await until(async () => (await signal.show?.("screen"))?.startsWith("full"));
    const seen: Observation[] = [];
    const last = await until(async () => {
      seen.push(...(await signal.look(lookAt(Date.now()))));
      const frame = frames.at(-1);
      return frame?.screen.rows[0] === "full" && frame;
    });
    expect(last.screen).toMatchObject({ title: "✳ think|ing", alternate: true, cursor: { x: 4, y: 0 } });
    expect(seen.some(({ kind }) => kind === "activity")).toBe(true);
  });

  test.each([
    { name: "with status 0 ended cleanly", script: "exit 0", end: { clean: true, exit: "exit 0" } },
    { name: "with status 3 did not", script: "exit 3", end: { clean: false, exit: "exit 3" } },
    { name: "by a signal did not", script: "kill -9 $$", end: { clean: false, exit: "signal SIGKILL" } },
  ])("whose program ended $name", async ({ script, end }) => {
    const { socketPath, tmux, open } = server();
    open("work", `echo ready; read line; ${script}`);
    const { signal } = watch({ session: "work", socketPath });
    await until(async () => tmux("capture-pane", "-p", "-t", "=work:").includes("ready"));
    expect(await signal.look(lookAt(Date.now()))).toMatchObject([{ kind: "present" }, { kind: "activity" }]);
    tmux("send-keys", "-t", "=work:", "Enter");
    const gone = await until(async () => {
      const facts = await signal.look(lookAt(Date.now()));
      return facts.find(({ kind }) => kind === "gone");
    });
    expect(gone).toMatchObject({ kind: "gone", signal: "tmux", incarnation: { pid: expect.any(Number) } });
    expect(gone).toMatchObject(end);
    expect(await signal.look(lookAt(Date.now()))).toEqual([]);
  });

  test("that is started anew is another life, and what it showed before is forgotten", async () => {
    const { socketPath, tmux, open } = server();
    open("work", "exec sleep 600");
    const { signal, forgotten } = watch({ session: "work", socketPath });
    const [first] = await signal.look(lookAt(Date.now()));
    await signal.look(lookAt(Date.now()));
    expect(forgotten).toEqual([]);
    tmux("respawn-pane", "-k", "-t", "=work:", "exec sleep 700");
    const [second] = await signal.look(lookAt(Date.now()));
    expect(second).toMatchObject({ kind: "present" });
    expect(second).not.toMatchObject({ incarnation: (first as { incarnation?: object }).incarnation });
    expect(forgotten).toHaveLength(1);
  });

  test("of a shell has no life of its own, because it outlives what runs in it", async () => {
    const { socketPath, open } = server();
    open("work", "exec sh");
    const { signal } = watch({ session: "work", socketPath });
    const [present] = await until(async () => {
      const facts = await signal.look(lookAt(Date.now(), { fresh: true }));
      const fact = facts.find(({ kind }) => kind === "present");
      return fact && !("incarnation" in fact) && facts;
    });
    expect(present).toMatchObject({ kind: "present" });
  });

  test("beside which an operator opened others is still the agent's, and its end is one", async () => {
    const { socketPath, tmux, open } = server();
    open("work", "exec sleep 600");
    const { signal } = watch({ session: "work", socketPath });
    const pane = tmux("list-panes", "-t", "=work:", "-F", "#{pane_id}");
    tmux("split-window", "-t", "=work:", "exec sleep 600");
    tmux("new-window", "-t", "=work:", "exec sleep 600");
    expect(await signal.look(lookAt(Date.now()))).toMatchObject([{ kind: "present" }]);
    tmux("kill-pane", "-t", pane);
    const gone = await until(async () => {
      const facts = await signal.look(lookAt(Date.now()));
      return facts.find(({ kind }) => kind === "gone");
    });
    expect(gone).toMatchObject({ clean: false, exit: "the tmux pane is gone" });
    tmux("new-window", "-t", "=work:", "exec sleep 800");
    expect(await signal.look(lookAt(Date.now()))).toMatchObject([{ kind: "present" }, { kind: "activity" }]);
  });
});

describe.runIf(installed)("a tmux session", () => {
  test.each([
    { name: "server", command: ["kill-server"] },
    { name: "session", command: ["kill-session", "-t", "=work"] },
  ])("that went with its $name is gone, also for a watcher that was started since", async (row) => {
    const { socketPath, tmux, open } = server();
    open("work", "exec sleep 600");
    const before = watch({ session: "work", socketPath });
    const seenAt = Date.now();
    await before.signal.look(lookAt(seenAt));
    tmux(...row.command);
    const memory: unknown = JSON.parse(JSON.stringify(before.signal.memory?.()));
    for (const { signal } of [before, watch({ session: "work", socketPath }, memory)]) {
      const gone = await until(async () => {
        const facts = await signal.look(lookAt(seenAt + 10_000));
        return facts.find(({ kind }) => kind === "gone");
      });
      expect(gone).toMatchObject({ at: seenAt, clean: false, exit: `the tmux ${row.name} is gone` });
    }
  });

  test("that was renamed is not gone while its process runs on", async () => {
    const { socketPath, tmux, open } = server();
    open("work", "exec sleep 600");
    const { signal } = watch({ session: "work", socketPath });
    await signal.look(lookAt(1));
    tmux("rename-session", "-t", "=work", "play");
    expect(await signal.look(lookAt(2))).toMatchObject([{ kind: "degraded" }]);
    tmux("rename-session", "-t", "=play", "work");
    expect(await signal.look(lookAt(3))).toMatchObject([{ kind: "present" }]);
  });

  test("that never was there is no death, also if another begins with its name", async () => {
    const { socketPath, open } = server();
    open("worker", "exec sleep 600");
    for (const settings of [{ session: "work" }, { target: "work:0.0" }, { target: "worker:7.0" }]) {
      const { signal } = watch({ ...settings, socketPath });
      expect(await signal.look(lookAt(1))).toMatchObject([
        { kind: "degraded", signal: "tmux", absent: true },
      ]);
      expect(await signal.look(lookAt(2))).toEqual([]);
      await expect(signal.show?.("screen")).rejects.toThrow(
        /^tmux (session|pane) work.* does not exist: `tmux -S \S+ list-/,
      );
    }
  });

  test("of a server that never was there is no death", async () => {
    const { signal } = watch({ session: "work", socketPath: join(temporaryFolder(), "none") });
    expect(await signal.look(lookAt(1))).toMatchObject([
      { kind: "degraded", problem: expect.stringContaining("no tmux server") },
    ]);
  });
});

describe.runIf(installed)("the piping of a pane", () => {
  test("goes to a file of any name, and asking again does not end it", async () => {
    const { socketPath, tmux, open } = server();
    open("work", "exec cat");
    const file = join(temporaryFolder(), "it's #S 100%d $HOME.log");
    const target = { session: "work", socketPath };
    expect(await pipePane(target, file)).toBe("started");
    expect(await pipePane(target, file)).toBe("already");
    tmux("send-keys", "-t", "=work:", "spoken", "Enter");
    await until(() => existsSync(file) && statSync(file).size > 0);
    expect(readFileSync(file, "utf8")).toContain("spoken");
    const { panes } = await new Tmux({ socketPath }).allPanes();
    expect(panes.map(({ session, isPiped }) => [session, isPiped])).toEqual([
      ["keeper", false],
      ["work", true],
    ]);
  });

  test("is refused with a reason where there is no such session", async () => {
    const { socketPath } = server();
    expect(await pipePane({ session: "none", socketPath }, "x.log")).toEqual({
      problem: "tmux session none does not exist",
    });
  });
});

test("a dead pane of which tmux does not say how it ended is given two seconds to say it", async () => {
  const line = (status: string) => {
    const fields = ["%1", "7", "5$1", "0", "1", "0", "1", "1", status, ...Array(17).fill(""), "", "title"];
    return { how: "ended", status: 0, stdout: `${fields.join("|")}\n`, stderr: "" } as const;
  };
  let status = "";
  const { signal } = watch({ session: "work" }, { seenAt: 1 }, async () => line(status));
  expect(await signal.look(lookAt(2))).toEqual([]);
  expect(await signal.look(lookAt(1999))).toEqual([]);
  expect(await signal.look(lookAt(2002))).toMatchObject([{ kind: "gone", clean: false }]);
  const other = watch({ session: "work" }, { seenAt: 1 }, async () => line(status)).signal;
  await other.look(lookAt(2));
  status = "0";
  expect(await other.look(lookAt(3))).toMatchObject([{ kind: "gone", clean: true, exit: "exit 0" }]);
});

test("how a dead pane's program ended is asked of the kernel if tmux does not say it", async () => {
  const fields = ["%1", "7", "5$1", "0", "1", "0", "1", "1", "", ...Array(17).fill(""), "", "title"];
  const run = async () => ({ how: "ended", status: 0, stdout: `${fields.join("|")}\n`, stderr: "" }) as const;
  for (const [kept, end] of [
    [{ code: 0 }, { clean: true, exit: "exit 0" }],
    [{ code: 3 }, { clean: false, exit: "exit 3" }],
    [{ signal: 9 }, { clean: false, exit: "signal SIGKILL" }],
  ] as const) {
    const proc = { ...openProc(), ended: (pid: number) => (pid === 7 ? kept : undefined) };
    const { signal } = watch({ session: "work" }, { seenAt: 1 }, run, proc);
    expect(await signal.look(lookAt(2))).toMatchObject([{ kind: "gone", ...end }]);
  }
});

test.each([
  { name: "is not installed", ran: { how: "missing" }, says: "install it" },
  { name: "hangs", ran: { how: "failed", problem: "tmux did not answer in time" }, says: "in time" },
  {
    name: "may not be asked",
    ran: { how: "ended", status: 1, stdout: "", stderr: "error connecting to x (Permission denied)" },
    says: "Permission denied",
  },
] as const)("where tmux $name that is said, and is no death", async ({ ran, says }) => {
  const seen = { life: { pid: 1, startTime: "1", bootId: "other" }, seenAt: 1 };
  const { signal } = watch({ session: "work" }, seen, async () => ran);
  expect(await signal.look(lookAt(2))).toMatchObject([
    { kind: "degraded", problem: expect.stringContaining(says) },
  ]);
  expect((await new Tmux({}, async () => ran).allPanes()).problem).toContain(says);
});
