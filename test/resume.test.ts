// Coding agents that go on in their conversations after their tmux server was killed. The program behaves like a client: it has a
// session, tells of it by its hooks, and takes up an earlier one with --resume.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentOf, daemon, rollcall, runToEnd, temporaryHome, until } from "./product.ts";
import { hasTmux, whyNoTmux } from "./watching.ts";

const CLIENT = `#!${process.execPath}
const { spawnSync } = require("node:child_process");
const { appendFileSync } = require("node:fs");
const at = process.argv.indexOf("--resume");
const id = at < 0 ? process.env.FIRST : process.argv[at + 1];
const tell = (name, more) =>
  spawnSync(process.env.ROLLCALL_HOME + "/connect/hook", ["claude-code"], {
    input: JSON.stringify({ session_id: id, hook_event_name: name, cwd: process.cwd(), ...more }),
  });
appendFileSync(process.env.ROLLCALL_HOME + "/reported", id + (at < 0 ? " began\\n" : " went on\\n"));
tell("SessionStart", { source: at < 0 ? "startup" : "resume" });
tell("UserPromptSubmit", { prompt: "dig" });
setInterval(() => {}, 1000);
`;

describe.skipIf(!hasTmux)(`resume: true${whyNoTmux}`, () => {
  it("brings three agents back into their conversations when their tmux server is killed", async () => {
    const home = temporaryHome();
    const [user, socket, client] = [join(home, "user"), join(home, "tmux"), join(home, "claude")];
    mkdirSync(join(user, ".claude"), { recursive: true });
    writeFileSync(client, CLIENT);
    chmodSync(client, 0o755);
    const names = ["ann", "bob", "cem"];
    const agent = (id: string) =>
      `  - { id: ${id}, tmux: { session: ${id}, socketPath: "${socket}" }, recover: [{ do: restart, with: { resume: true, command: ["${client}"], cwd: "${user}" } }] }`;
    writeFileSync(
      join(home, "rollcall.yaml"),
      `listen: 127.0.0.1:0\nlivenessInterval: 500ms\nagents:\n${names.map(agent).join("\n")}\n`,
    );
    const { url } = await daemon(home);
    const own = { ROLLCALL_HOME: home, HOME: user, CLAUDE_CONFIG_DIR: "" };
    expect(await runToEnd(process.execPath, [rollcall, "connect", "claude-code"], own)).toMatchObject({
      status: 0,
    });
    const tmux = (...args: string[]) =>
      spawnSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
        ...{ encoding: "utf8", env: { ...process.env, ...own, TMUX: "" } },
      });
    onTestFinished(() => void tmux("kill-server"));
    for (const name of names)
      expect(
        tmux("new-session", "-d", "-s", name, "-e", `FIRST=talk-of-${name}`, client, "--quietly").status,
      ).toBe(0);
    for (const name of names)
      await until(
        () => agentOf(url, name),
        (seen) => JSON.stringify(seen ?? "").includes('"signal":"hook"'),
      );
    const reported = () => readFileSync(join(home, "reported"), "utf8").trim().split("\n");
    await until(reported, (lines) => lines.length === 3);
    tmux("kill-server");
    const lines = await until(reported, (all) => all.length === 6);
    expect(lines.toSorted()).toEqual(
      names.flatMap((name) => [`talk-of-${name} began`, `talk-of-${name} went on`]).toSorted(),
    );
    for (const name of names)
      await until(
        () => agentOf(url, name),
        (seen) => seen?.state === "alive",
      );
    const steps = await runToEnd(process.execPath, [rollcall, "recoveries", "bob", "--json"], own);
    expect(JSON.parse(steps.stdout)).toMatchObject({
      recoveries: [
        { step: "restart", state: "done", why: expect.stringContaining("its conversation talk-of-bob") },
      ],
    });
  });
});
