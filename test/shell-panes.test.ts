// Agents that were started in the shell of a real tmux pane: how their end is told apart from their rest.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentOf, cli, daemon, temporaryHome, until } from "./product.ts";
import { hasTmux, isIn, whyNoTmux } from "./watching.ts";

const SHELLS = ["bash --norc", "dash", "zsh -f"].filter(
  (shell) => spawnSync("sh", ["-c", `command -v ${shell.split(" ")[0]}`]).status === 0,
);

/** An agent that shows each line that is typed, alone on its screen. Like a coding agent it reads keys, not lines: who reads a line waits. */
const AGENT = `stty -icanon min 1; while read -r line && [ "$line" != quit ]; do printf '\\033[2J\\033[H'; printf "$line"; done\n`;
const WORKS = "compiling the parser\\nall of it\\n";
const ASKS = "Do you want to continue? [Y/n] ";
const IS_IDLE = ">>> ";

/** A tmux server of the test's own, with a shell in each session. */
function shells(sessions: Readonly<Record<string, string>>) {
  const socket = `rollcall-shells-${process.pid}`;
  const tmux = (...args: string[]) =>
    spawnSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { encoding: "utf8" }).stdout.trim();
  onTestFinished(() => void tmux("kill-server"));
  for (const [session, shell] of Object.entries(sessions))
    tmux("new-session", "-d", "-s", session, "-x", "100", "-y", "30", shell);
  const type = (session: string, text: string) => {
    tmux("send-keys", "-t", session, "-l", text);
    tmux("send-keys", "-t", session, "Enter");
  };
  /** The group in the foreground of the pane's terminal. */
  const inFront = (session: string) => {
    const pid = tmux("list-panes", "-t", session, "-F", "#{pane_pid}");
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[5]);
  };
  const kill = (session: string) => process.kill(-inFront(session), "SIGKILL");
  const key = (session: string, name: string) => tmux("send-keys", "-t", session, name);
  return { socket, type, kill, key };
}

describe.skipIf(!hasTmux || process.platform !== "linux")(
  `an agent in a shell of a tmux pane${whyNoTmux}`,
  () => {
    it("is dead if it was killed at work or at a question, rests if it was idle, and lives when it is started again", async () => {
      const [bash = ""] = SHELLS;
      const busy = SHELLS.map((shell, i) => [`busy${i}`, shell] as const);
      const { socket, type, kill, key } = shells({
        ...Object.fromEntries(busy),
        ...{ asks: bash, two: bash, idle: bash, killed: bash, empty: bash, piped: bash, stopped: bash },
      });
      // A prompt of two lines that no rule knows.
      type("two", "PS1='\\w on main\\nrun: '");
      const declared = [...busy.map(([id]) => id), "asks", "two", "idle", "killed", "empty", "stopped"];
      const agents = declared.map((id) => `  - { id: ${id}, tmux: { session: ${id}, socket: ${socket} } }\n`);
      const home = temporaryHome(`livenessInterval: 200ms\nagents:\n${agents.join("")}`);
      const script = join(home, "agent.sh");
      writeFileSync(script, AGENT);
      const first = await daemon(home);
      const { url } = first;
      const added = await cli(
        home,
        "agents",
        "add",
        "piped",
        "--tmux",
        "piped",
        "--tmux-socket",
        socket,
        "--pipe",
      );
      expect(added.status).toBe(0);
      const all = [...declared.filter((id) => id !== "empty"), "piped"];
      const start = async (ids: readonly string[]) => {
        for (const id of ids) type(id, `sh ${script}`);
        for (const id of ids) type(id, WORKS);
        for (const id of ids) await isIn(url, id, "alive");
      };
      await start(all);
      for (const id of ["asks", "two", "piped"]) type(id, ASKS);
      for (const id of ["idle", "killed"]) type(id, IS_IDLE);
      for (const id of ["asks", "two", "piped"]) await isIn(url, id, "waiting");
      for (const id of ["idle", "killed"]) await isIn(url, id, "resting");

      const ended = [...busy.map(([id]) => id), "asks", "two", "killed", "piped"];
      for (const id of ended) kill(id);
      type("idle", "quit");
      key("stopped", "C-z");
      for (const id of ended) await isIn(url, id, "dead");
      const says = (id: string, why: string) =>
        until(
          () => agentOf(url, id),
          (agent) => agent?.why.includes(why) === true,
        );
      expect(await says("idle", "ended cleanly")).toMatchObject({ state: "resting" });
      expect(await says("stopped", "fg (it is suspended)")).toMatchObject({ state: "waiting" });
      expect(await agentOf(url, "empty")).toMatchObject({
        state: "resting",
        why: expect.stringContaining("turn finished"),
      });
      expect(await agentOf(url, "two")).toMatchObject({ reason: "exited" });
      const { stdout } = await cli(home, "explain", "two");
      expect(stdout).toContain("foreground program: bash (a shell)");

      await start(["two", "piped", "busy0"]);
      // What was seen last outlives the watcher.
      await first.end("SIGKILL");
      for (const id of ["two", "piped", "busy0"]) kill(id);
      const second = await daemon(home);
      for (const id of ["two", "piped", "busy0"]) await isIn(second.url, id, "dead");
      expect(await agentOf(second.url, "idle")).toMatchObject({ state: "resting" });
    });
  },
);
