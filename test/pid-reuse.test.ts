// The kernel gives the pid of an agent that ended to somebody else. In a pid namespace of the test's own the next pid can
// be chosen, so that this really happens, and to nobody else on the machine.
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentOf, rollcall, temporaryHome, until } from "./product.ts";
import { config, flipsOf, isIn } from "./watching.ts";

const NAMESPACE = [
  ...(process.getuid?.() === 0 ? [] : ["--map-root-user"]),
  ...["--pid", "--fork", "--mount-proc", "--kill-child"],
];
const possible =
  spawnSync("unshare", [...NAMESPACE, "sh", "-c", "echo 77 > /proc/sys/kernel/ns_last_pid"]).status === 0;
const whyNot = possible ? "" : " (skipped: no pid namespace can be made here)";

/** A shell that is the first process of its own pid namespace, and does what it is told. */
function world(home: string) {
  const shell = spawn("unshare", [...NAMESPACE, "sh"], {
    env: { ...process.env, ROLLCALL_HOME: home, NO_COLOR: "1" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const gone = new Promise((done) => shell.once("close", done));
  onTestFinished(async () => {
    shell.kill("SIGKILL");
    await gone;
  });
  let said = "";
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on("data", (chunk) => {
      said += String(chunk);
    });
  }
  const hear = async (pattern: RegExp) =>
    (
      await until(
        () => pattern.exec(said),
        (match) => match !== null,
      )
    )?.[1] ?? "";
  const tell = async (command: string, pattern: RegExp) => {
    said = "";
    shell.stdin.write(`${command}\n`);
    return await hear(pattern);
  };
  return {
    agent: () =>
      tell(`sleep 1000 & agent=$!; echo $agent > ${home}/bot.pid; echo "agent $agent"`, /agent (\d+)/),
    up: () =>
      tell(`${process.execPath} ${rollcall} up --listen 127.0.0.1:0 & up=$!`, /listens at (http:\S+)/),
    down: () => tell('kill $up; wait $up; echo "down $?"', /down (\d+)/),
    /** Kills the agent and gives its pid to another process, whose pid is the answer. */
    reuse: () =>
      tell(
        'kill -9 $agent; wait $agent; echo $((agent - 1)) > /proc/sys/kernel/ns_last_pid; sleep 2000 & echo "other $!"',
        /other (\d+)/,
      ),
  };
}

describe.skipIf(!possible)(`a pid that was given to another process${whyNot}`, () => {
  it.each([
    { by: "a PID file", named: (home: string) => `pidFile: ${home}/bot.pid` },
    { by: "a pid", named: (_: string, pid: string) => `pid: ${pid}` },
  ])(
    "is no life of the agent that is known by $by: neither while we watch nor after a restart",
    async ({ named }) => {
      for (const watching of [true, false]) {
        const home = temporaryHome();
        const { agent, up, down, reuse } = world(home);
        const pid = await agent();
        writeFileSync(
          join(home, "rollcall.yaml"),
          config(`  - { id: bot, process: { ${named(home, pid)} } }\n`),
        );
        let url = await up();
        await isIn(url, "bot", "alive");
        if (!watching) await down();
        expect(await reuse()).toBe(pid);
        if (!watching) url = await up();
        expect(await isIn(url, "bot", "dead")).toMatchObject({ reason: "exited" });
        await down();
        url = await up();
        expect(await agentOf(url, "bot")).toMatchObject({ state: "dead", reason: "exited" });
        expect((await flipsOf(home, "bot")).filter((to) => to === "alive")).toEqual(["alive"]);
      }
    },
  );
});
