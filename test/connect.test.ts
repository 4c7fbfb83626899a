import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { daemon, rollcall, runToEnd, temporaryHome, until } from "./product.ts";

const SETTINGS = `// mine
{
   "model": "x", // keep
   "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ] },
}
`;

/** A user with Claude Code's settings, and a home for Rollcall. */
function user() {
  const home = temporaryHome();
  const folder = join(home, "user");
  mkdirSync(join(folder, ".claude"), { recursive: true });
  const settings = join(folder, ".claude", "settings.json");
  writeFileSync(settings, SETTINGS);
  const env = { ROLLCALL_HOME: home, HOME: folder, CLAUDE_CONFIG_DIR: "", CODEX_HOME: "" };
  const run = (...args: string[]) => runToEnd(process.execPath, [rollcall, ...args], env);
  return { home, settings, env, run };
}

it("listing changes nothing; what connect writes reaches the watcher; disconnect gives every byte back", async () => {
  const { home, settings, env, run } = user();
  const listed = await run("connect", "--json");
  const { clients } = JSON.parse(listed.stdout) as {
    clients: { client: string; state: string; isThere: boolean }[];
  };
  expect(clients.find(({ client }) => client === "claude-code")).toMatchObject({
    state: "not connected",
    isThere: true,
  });
  expect(existsSync(join(home, "connect"))).toBe(false);
  await daemon(home);
  expect(await run("connect", "claude-code")).toMatchObject({ status: 0 });
  const written = readFileSync(settings, "utf8");
  const command = /"(if \[ -x [^"]*)"/.exec(written)?.[1] ?? "";
  const tool = { tool_name: "Bash", tool_input: { command: "rm -rf build" } };
  const payload = { session_id: "s1", hook_event_name: "PermissionRequest", cwd: "/nowhere", ...tool };
  const child = spawn("sh", ["-c", command], { env: { ...process.env, ...env } });
  child.stdin.end(JSON.stringify(payload));
  const agent = await until(
    async () =>
      (
        JSON.parse((await run("status", "--json")).stdout) as {
          agents: { id: string; state: string; why: string }[];
        }
      ).agents,
    (agents) => agents.some(({ state }) => state === "waiting"),
  );
  expect(agent.find(({ state }) => state === "waiting")?.why).toContain("permission: rm -rf build");
  expect((await run("connect", "--status")).stdout).toMatch(/claude-code.*connected.*(?:ago|just now)/);
  expect(await run("disconnect")).toMatchObject({ status: 0 });
  expect(readFileSync(settings, "utf8")).toBe(SETTINGS);
  expect((await run("token", "list", "--json")).stdout).not.toContain("hooks of coding agents");
});

it("killed at any moment, the settings are whole, and disconnect gives them back", async () => {
  const { settings, env, run } = user();
  expect(await run("connect", "claude-code")).toMatchObject({ status: 0 });
  const connected = readFileSync(settings, "utf8");
  expect(await run("disconnect", "claude-code")).toMatchObject({ status: 0 });
  for (const delay of [150, 250, 350, 450, 550, 700]) {
    const child = spawn(process.execPath, [rollcall, "connect", "claude-code"], {
      env: { ...process.env, ...env },
    });
    const ended = new Promise((done) => child.once("close", done));
    await wait(delay);
    child.kill("SIGKILL");
    await ended;
    expect([SETTINGS, connected]).toContain(readFileSync(settings, "utf8"));
    expect(await run("disconnect", "claude-code")).toMatchObject({ status: 0 });
    expect(readFileSync(settings, "utf8")).toBe(SETTINGS);
  }
});
