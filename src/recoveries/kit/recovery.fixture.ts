import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Agent } from "../../core/agent.ts";
import type { Aim } from "../../core/recovery/recovery.ts";
import type { Target } from "../../ports/recovery.ts";

/** For the tests of recoveries: a home, a target, and a tmux server of one's own. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-recover-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function targetOf(more: Partial<Target> & { readonly aim?: Aim } = {}): Target {
  const agent: Agent = { id: "allegro", origin: "config", addedAt: 0 };
  return {
    key: "allegro-1:0:restart",
    incident: "allegro-1",
    agent,
    aim: { state: "dead", reason: "exited" },
    why: "its process ended",
    memories: {},
    ...more,
  };
}

export const NEVER = new AbortController().signal;

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

/** A tmux server that ends with its test. Its panes stay when their programs end. */
export function tmuxServer() {
  const socketPath = join(temporaryFolder(), "tmux");
  const env = { ...process.env, LC_ALL: "C.UTF-8", TMUX: "" };
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-u", "-S", socketPath, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env,
    }).trimEnd();
  onTestFinished(() => {
    spawnSync("tmux", ["-S", socketPath, "kill-server"]);
  });
  tmux("new-session", "-d", "-s", "keeper", "cat", ";", "set", "-g", "remain-on-exit", "on");
  const open = (command: string) => tmux("new-session", "-d", "-x", "80", "-y", "24", "-s", "work", command);
  const screen = () => tmux("capture-pane", "-p", "-t", "=work:");
  return { socketPath, tmux, open, screen };
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
