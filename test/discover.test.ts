// Coding agents that nobody declared, found in a real tmux and by their transcripts. The agents are stand-ins by name.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentOf, type Done, daemon, rollcall, runToEnd, temporaryHome, until } from "./product.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
const why = hasTmux ? "" : " (skipped: there is no tmux here)";

interface FoundJson {
  readonly found: readonly { id: string; client: string; status: string; signals: Record<string, unknown> }[];
  readonly problems: readonly string[];
}

/** A host of the test's own: a user's folder, a home, and a tmux that no other test sees. */
function host(config?: string) {
  const home = temporaryHome(config);
  const user = temporaryHome();
  const bin = join(user, "bin");
  mkdirSync(bin);
  // One that is a program of its own, and one that an interpreter runs.
  copyFileSync("/bin/sleep", join(bin, "claude"));
  chmodSync(join(bin, "claude"), 0o755);
  writeFileSync(join(bin, "gemini"), "setInterval(() => {}, 1000);\n");
  const sockets = temporaryHome();
  const env = { HOME: user, ROLLCALL_HOME: home, TMUX_TMPDIR: sockets, TMUX: "" };
  const tmux = (...args: string[]) =>
    spawnSync("tmux", ["-f", "/dev/null", ...args], { encoding: "utf8", env: { ...process.env, ...env } });
  const discover = (...args: string[]): Promise<Done> =>
    runToEnd(process.execPath, [rollcall, "agents", "discover", ...args], env);
  const found = async (...args: string[]) =>
    JSON.parse((await discover("--json", ...args)).stdout) as FoundJson;
  /** A transcript of Claude Code for an agent in this folder. */
  const claudeWrote = (cwd: string, ageInHours = 0) => {
    const folder = join(user, ".claude/projects", cwd.replace(/[^A-Za-z0-9]/g, "-"));
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "s.jsonl");
    writeFileSync(
      file,
      `${JSON.stringify({ type: "user", cwd, message: { role: "user", content: "go" } })}\n`,
    );
    const then = Date.now() / 1000 - ageInHours * 3600;
    utimesSync(file, then, then);
  };
  return { home, user, bin, env, tmux, discover, found, claudeWrote };
}

describe.skipIf(!hasTmux)(`agents in tmux panes${why}`, () => {
  function withPanes(config?: string) {
    const here = host(config);
    const { tmux, bin, user } = here;
    const [app, other] = ["my app", "other"].map((name) => join(user, name)) as [string, string];
    mkdirSync(app);
    mkdirSync(other);
    onTestFinished(() => {
      tmux("kill-server");
      tmux("-L", "side", "kill-server");
    });
    tmux("new-session", "-d", "-s", "builder", "-c", app, `${bin}/claude 600`);
    tmux("new-session", "-d", "-s", "pair", "-c", other, `sh -c '${process.execPath} ${bin}/gemini; true'`);
    tmux("split-window", "-t", "pair", "-c", other, "cat");
    tmux("-L", "side", "new-session", "-d", "-s", "0", "-c", other, `${bin}/claude 600`);
    tmux("new-session", "-d", "-s", "editor", "cat");
    return { ...here, app };
  }

  it("are found by their program, with their transcripts, and added once", async () => {
    const { home, env, found, discover, claudeWrote, app } = withPanes("livenessInterval: 200ms\n");
    claudeWrote(app);
    const at = (server: string) => join(env.TMUX_TMPDIR, `tmux-${process.getuid?.()}`, server);
    const all = await until(found, ({ found }) => found.length === 3);
    expect(all).toEqual({
      found: [
        {
          ...{ id: "builder", client: "claude-code", status: "new" },
          signals: {
            tmux: { session: "builder", socketPath: at("default") },
            transcript: { client: "claude-code", cwd: app },
          },
        },
        {
          ...{ id: "pair-0-0", client: "gemini-cli", status: "new" },
          signals: { tmux: { target: "pair:0.0", socketPath: at("default") } },
        },
        {
          ...{ id: "tmux-0", client: "claude-code", status: "new" },
          signals: { tmux: { session: "0", socketPath: at("side") } },
        },
      ],
      problems: [],
    });
    expect(readdirSync(home)).toEqual(["rollcall.yaml"]);
    // The watcher looks for tmux servers elsewhere than the user's shell.
    const { url } = await daemon(home, { ...env, TMUX_TMPDIR: "" });
    const added = await discover("--add");
    expect(added).toMatchObject({ status: 0, stdout: expect.stringMatching(/builder +claude-code +added/) });
    await until(
      () => agentOf(url, "builder"),
      (builder) => builder?.state === "alive",
    );
    await until(
      () => agentOf(url, "pair-0-0"),
      (pair) => pair !== undefined && pair.state !== "new",
    );
    expect((await found()).found.map(({ status }) => status)).toEqual(["known", "known", "known"]);
    expect((await discover("--add")).stdout).not.toContain("added");
  });

  it("are named by a watcher that starts with an empty roll, with the command that adds them", async () => {
    const { home, env, found } = withPanes();
    await until(found, ({ found }) => found.length === 3);
    const { said } = await daemon(home, env);
    await until(said, (text) => text.includes("agents discover --add"));
    expect(said()).toContain("3 coding agents on this host are not on the roll yet:\n");
    const socket = join(env.TMUX_TMPDIR, `tmux-${process.getuid?.()}`, "default");
    expect(said()).toContain(`  builder  claude-code, tmux builder of ${socket}\n`);
    expect(said()).toMatch(/Add them with:\n {2}\S.*agents discover --add\n/);
    const other = temporaryHome("agents: [{ id: allegro }]\n");
    const second = await daemon(other, { ...env, ROLLCALL_HOME: other });
    await second.end("SIGTERM");
    expect(second.said()).not.toContain("coding agent");
  });

  it("are known by whatever names them: another id, another way to say the same pane, or the transcript", async () => {
    const { home, found, claudeWrote, app, env } = withPanes();
    claudeWrote(app);
    const agents = [
      "{ id: painter, transcript: { client: claude-code, cwd: ~/my app/ } }",
      '{ id: guest, tmux: { target: "pair:0.0" } }',
      `{ id: tmux-0, tmux: { target: "0:0", socketPath: ${join(env.TMUX_TMPDIR, `tmux-${process.getuid?.()}`, "side")} } }`,
    ];
    writeFileSync(
      join(home, "rollcall.yaml"),
      `agents:\n${agents.map((agent) => `  - ${agent}\n`).join("")}`,
    );
    const { found: all } = await until(found, ({ found }) => found.length === 3);
    expect(all.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "painter known",
      "guest known",
      "tmux-0 known",
    ]);
  });

  it("that the watcher looks for elsewhere are found by the doctor", async () => {
    const { home, env } = withPanes("agents:\n  - { id: guest, tmux: { session: builder } }\n");
    await daemon(home, { ...env, TMUX_TMPDIR: "" });
    const { stdout } = await runToEnd(process.execPath, [rollcall, "doctor", "--json"], env);
    const { findings } = JSON.parse(stdout) as { findings: { check: string; level: string; says: string }[] };
    expect(findings.filter(({ check }) => check === "tmux")).toEqual([
      expect.objectContaining({
        level: "warning",
        says: expect.stringContaining("TMUX_TMPDIR differs: the watcher looks for guest at /tmp/tmux-"),
      }),
    ]);
  });

  it("can be looked for on one server only", async () => {
    const { found } = withPanes();
    const { found: all } = await until(
      () => found("--tmux-socket", "side"),
      ({ found }) => found.length > 0,
    );
    expect(all.map(({ id }) => id)).toEqual(["tmux-0"]);
    expect(await found("--tmux-socket", "nosuch")).toEqual({
      found: [],
      problems: ["no tmux server nosuch runs here"],
    });
  });
});

describe("agents by their transcripts", () => {
  it("are found without tmux, which is told; only those of the last day, one for each folder", async () => {
    const { home, user, env, claudeWrote } = host();
    claudeWrote("/src/my.app");
    claudeWrote("/elsewhere/my-app");
    claudeWrote("/src/old", 25);
    claudeWrote("/src/{home}/trap");
    mkdirSync(join(user, ".codex/sessions/2026/01/31"), { recursive: true });
    const meta = { type: "session_meta", payload: { cwd: "/src/\u001b[31mred" } };
    writeFileSync(join(user, ".codex/sessions/2026/01/31/rollout-1.jsonl"), JSON.stringify(meta));
    const noTmux = { ...env, PATH: "/nowhere" };
    const run = (...args: string[]) =>
      runToEnd(process.execPath, [rollcall, "agents", "discover", ...args], noTmux);
    const shown = await run();
    expect(shown).toMatchObject({ status: 0, stderr: "" });
    expect(shown.stdout).toContain("tmux is not installed here, so Rollcall looked at no pane\n");
    expect(shown.stdout).toMatch(
      /^claude-code-my-app-[0-9a-f]{6} +claude-code +new +transcript of \/src\/my\.app$/m,
    );
    expect(shown.stdout).toContain("2 are new; add them with --add.");
    expect(readdirSync(home)).toEqual([]);
    const { found } = JSON.parse((await run("--add", "--json")).stdout) as FoundJson;
    expect(found.map(({ status }) => status)).toEqual(["added", "added"]);
    const again = JSON.parse((await run("--json")).stdout) as FoundJson;
    expect(again.found.map(({ id, status }) => [id, status])).toEqual(found.map(({ id }) => [id, "known"]));
  });
});
