import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { signalOpener } from "../../signals/registry.ts";
import { runProgram } from "../../system/exec.ts";
import { incarnationOf } from "../../system/proc.ts";
import { hasTmux, NEVER, targetOf, tmuxServer, until } from "../kit/recovery.fixture.ts";
import { endStep, interruptStep, pauseStep } from "./halt.ts";

const deps = {
  home: "/nowhere",
  run: runProgram,
  lifeOf: incarnationOf,
  rollcall: ["x"] as const,
  killGrace: 300,
};
const step = { when: { states: [] }, budget: { times: 1, within: 1 }, backoff: { first: 1, longest: 1 } };

/** A process that is judged as the agent's. */
async function judged(seen = true) {
  const child = spawn("sleep", ["600"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const pid = child.pid ?? 0;
  const incarnation = await until(() => incarnationOf(pid));
  const aim = {
    state: "failing",
    reason: "over-budget",
    incarnation,
    ...(seen ? { seen: true as const } : {}),
  } as const;
  return { child, pid, target: targetOf({ aim }) };
}

describe("what stops an agent", () => {
  it("pause stops its process, and says how it goes on", async () => {
    const { pid, target } = await judged();
    const acted = await pauseStep.open({ ...step, do: "pause" }, deps).act(target, NEVER);
    expect(acted).toMatchObject({ outcome: "done", note: expect.stringContaining(`kill -CONT ${pid}`) });
    await until(() => / T /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
  });

  it("end ends its process, and none that only a beat names, or another one", async () => {
    const { child, target } = await judged();
    const end = endStep.open({ ...step, do: "end" }, deps);
    expect(await end.act((await judged(false)).target, NEVER)).toMatchObject({ outcome: "dropped" });
    expect(await end.act(targetOf(), NEVER)).toMatchObject({ outcome: "dropped" });
    const ended = new Promise((done) => child.once("exit", (_, signal) => done(signal)));
    expect(await end.act(target, NEVER)).toMatchObject({ outcome: "done" });
    expect(await ended).toBe("SIGTERM");
  });

  it.runIf(hasTmux)("interrupt presses Esc in its pane", async () => {
    const { socketPath, open, screen } = tmuxServer();
    open("echo ready; exec cat -v");
    const tmux = { session: "work", socketPath };
    const [reader] = signalOpener("UTC")({ agent: "allegro", settings: { tmux }, memories: {}, journal: "" });
    await until(() => screen().includes("ready"));
    await reader?.look({ now: Date.now(), abort: NEVER, fresh: true });
    const agent = { id: "allegro", origin: "config", addedAt: 0, signals: { tmux } } as const;
    const interrupt = interruptStep.open({ ...step, do: "interrupt" }, deps);
    const target = targetOf({ agent, memories: { tmux: reader?.memory?.() } });
    expect(await interrupt.act(target, NEVER)).toMatchObject({ outcome: "done" });
    await until(() => screen().includes("^["));
    expect(await interrupt.act(targetOf(), NEVER)).toMatchObject({ outcome: "dropped" });
  });
});
