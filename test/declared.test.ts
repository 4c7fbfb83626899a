// Agents that are declared by a place where they are found: a registry, or a folder of session logs.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentOf, cli, daemon, rollcall, runToEnd, temporaryHome, until } from "./product.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

test("A2, B2, D1: session logs and a registry make one list, which follows both without a restart; an agent's heartbeat goes to a chat", async () => {
  const home = temporaryHome(
    `livenessInterval: 200ms
channels: { team: { kind: command, argv: [sh, -c, 'echo "$ROLLCALL_TITLE" >> "$TOLD"'], passEnv: [TOLD] } }
agents:
  - { id: presto, name: Presto, heartbeat: { to: team, every: 1s } }
  - { registry: config/agent-registry.json, every: 1h }
  - { sessions: "~/.cistern/session-logs/*.log" }
`,
  );
  const logs = join(home, ".cistern/session-logs");
  mkdirSync(logs, { recursive: true });
  mkdirSync(join(home, "config"));
  const registry = join(home, "config/agent-registry.json");
  const register = (...agents: object[]) => writeFileSync(registry, JSON.stringify({ agents }));
  const allegro = { id: "allegro", name: "Allegro", active: true };
  register(allegro, { id: "retired", active: false });
  for (const name of ["app-ann", "app-bob", "web-ann"]) writeFileSync(join(logs, `${name}.log`), "working\n");
  const env = { HOME: home, TOLD: join(home, "told") };
  const running = await daemon(home, env);
  const run = (...args: string[]) =>
    runToEnd(process.execPath, [rollcall, ...args], { ...env, ROLLCALL_HOME: home });
  const isThere = (id: string, state: string) =>
    until(
      () => agentOf(running.url, id),
      (agent) => agent?.state === state,
    );
  expect((await run("config", "check")).stdout).toContain("rollcall.yaml is fine: 5 agents");
  for (const id of ["app-ann", "app-bob", "web-ann"]) await isThere(id, "alive");
  expect(await isThere("allegro", "new")).toMatchObject({ name: "Allegro", origin: "config" });
  expect(await agentOf(running.url, "retired")).toBeUndefined();

  await run("beat", "presto", "--cycle", "7", "--action", "sync inbox");
  await until(
    () => readFileSync(join(home, "told"), { encoding: "utf8", flag: "a+" }),
    (told) => told.includes("Presto: alive, cycle 7, last action: sync inbox, status ok\n"),
  );

  // A fourth one joins within a round; one that is gone rests.
  writeFileSync(join(logs, "web-bob.log"), "working\n");
  await isThere("web-bob", "alive");
  rmSync(join(logs, "app-bob.log"));
  expect(await isThere("app-bob", "resting")).toMatchObject({
    why: expect.stringMatching(/^its session ended cleanly/),
  });
  writeFileSync(join(logs, "app-bob.log"), "working again\n");
  await isThere("app-bob", "alive");

  register(allegro, { id: "adagio", active: true });
  expect(await run("daemon", "reload")).toMatchObject({ status: 0 });
  await isThere("adagio", "new");
  await isThere("web-bob", "alive");
  expect((await run("config", "show")).stdout).toMatch(/- id: adagio\n(?: {4}.*\n)* {4}every: 1h\n/);
  writeFileSync(registry, "{");
  const refused = await run("daemon", "reload");
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain(`agents[1].registry: ${registry}: expected JSON such as`);
  expect(await agentOf(running.url, "adagio")).toBeDefined();
  await running.end("SIGTERM");
});

test.skipIf(!hasTmux)(
  `B2: --pipe takes a path, in which {agent} is filled in${hasTmux ? "" : " (skipped: there is no tmux here)"}`,
  async () => {
    const home = temporaryHome();
    const socket = `rollcall-declared-${process.pid}`;
    const tmux = (...args: string[]) => spawnSync("tmux", ["-L", socket, "-f", "/dev/null", ...args]);
    tmux("new-session", "-d", "-s", "agent", "cat");
    const add = (id: string, path: string) =>
      cli(home, "agents", "add", id, "--tmux", "agent", "--tmux-socket", socket, "--pipe", path, "--json");
    try {
      const pattern = await add("builder", join(home, "*.log"));
      expect(pattern).toMatchObject({ status: 1, stdout: "" });
      expect(pattern.stderr).toContain("is a pattern; expected one file, such as ~/logs/{agent}.log");
      const unknown = await add("builder", join(home, "{repo}.log"));
      expect(unknown.stderr).toContain("asks for {repo}, which is not known here");
      const log = join(home, "deep/er/builder-pane.log");
      const added = await add("builder", join(home, "deep/er/{agent}-pane.log"));
      expect(JSON.parse(added.stdout)).toEqual({ agent: "builder", added: true, log });
      expect(existsSync(log)).toBe(true);
      expect(String(tmux("list-panes", "-a", "-F", "#{pane_pipe}").stdout)).toBe("1\n");
    } finally {
      tmux("kill-server");
    }
  },
);

test.skipIf(!hasTmux)(
  `agents add --tmux in a pane looks for the session on that pane's own server${hasTmux ? "" : " (skipped: there is no tmux here)"}`,
  async () => {
    const home = temporaryHome();
    const socketPath = join(home, "tmux.sock");
    const tmux = (...args: string[]) => spawnSync("tmux", ["-S", socketPath, "-f", "/dev/null", ...args]);
    tmux("new-session", "-d", "-s", "agent", "cat");
    try {
      const inside = { ROLLCALL_HOME: home, TMUX: `${socketPath},1,0` };
      const args = ["agents", "add", "builder", "--tmux", "agent", "--pipe"];
      expect(await runToEnd(process.execPath, [rollcall, ...args], inside)).toMatchObject({ status: 0 });
      expect(String(tmux("list-panes", "-a", "-F", "#{pane_pipe}").stdout)).toBe("1\n");
    } finally {
      tmux("kill-server");
    }
  },
);
