import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { median, quantile } from "./load.ts";
import type { Result } from "./main.ts";

const CALLS = 50;
const BETWEEN = 150;

interface Settings {
  readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { command: string }[] }[]>>;
}

/** How long a client waits for one call of its hook, as it calls it itself: with a watcher, and without one in every way. */
export async function hooks(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  const [home, user] = [join(folder, "home"), join(folder, "user")];
  mkdirSync(home);
  mkdirSync(join(user, ".claude"), { recursive: true });
  writeFileSync(join(home, "rollcall.yaml"), "listen: 127.0.0.1:0\n");
  const env = { ...process.env, ROLLCALL_HOME: home, HOME: user };
  const program = join(new URL("..", import.meta.url).pathname, "bin/rollcall.js");
  const rollcall = (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], { env, encoding: "utf8" });
    if (status !== 0) throw new Error(`rollcall ${args.join(" ")} ended with ${status}: ${stderr}`);
  };
  const input = JSON.stringify({
    ...{ session_id: "bench", hook_event_name: "PreToolUse", cwd: "/tmp", tool_name: "Bash" },
    tool_input: { command: "npm test" },
  });
  let pid = 0;
  try {
    rollcall("daemon", "start");
    rollcall("connect", "claude-code");
    pid = Number.parseInt(readFileSync(join(home, "rollcall.pid"), "utf8"), 10);
    const settings = JSON.parse(readFileSync(join(user, ".claude", "settings.json"), "utf8")) as Settings;
    const command = settings.hooks.PreToolUse?.[0]?.hooks[0]?.command ?? "exit 9";
    const called = async (text: string) => {
      const times: number[] = [];
      for (let i = 0; i < CALLS; i += 1) {
        const began = performance.now();
        const { status, stdout, stderr } = spawnSync("sh", ["-c", text], { env, input, encoding: "utf8" });
        times.push(performance.now() - began);
        if (status !== 0 || stdout !== "" || stderr !== "")
          throw new Error(`the hook ended with ${status} and said "${stdout}${stderr}"`);
        // A client does something between two calls, and what was sent in the background is over by then.
        await wait(BETWEEN);
      }
      return { p50: median(times), p99: quantile(times, 0.99) };
    };
    const bare = await called(":");
    const line = (name: string, { p50, p99 }: { p50: number; p99: number }): Result => ({
      name: `a call of a hook (p50, p99), ${name}`,
      ours: `${p50.toFixed(1)} ms, ${p99.toFixed(1)} ms`,
      baseline: `${bare.p50.toFixed(1)} ms, ${bare.p99.toFixed(1)} ms sh -c :`,
      ratio: null,
      aim: "at most 50 ms",
      value: p99,
    });
    const running = line("the watcher runs", await called(command));
    process.kill(pid, "SIGSTOP");
    const frozen = line("the watcher is frozen", await called(command));
    process.kill(pid, "SIGCONT");
    rollcall("daemon", "stop");
    const stopped = line("the watcher is stopped", await called(command));
    rmSync(home, { recursive: true, force: true });
    return [running, frozen, stopped, line("Rollcall's home is gone", await called(command))];
  } finally {
    if (pid !== 0) spawnSync("kill", ["-CONT", String(pid)]);
    spawnSync(process.execPath, [program, "daemon", "stop"], { env });
    rmSync(folder, { recursive: true, force: true });
  }
}
