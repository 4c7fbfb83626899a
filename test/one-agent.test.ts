// Commands about one agent: restart, nudge, wake, logs, attach and wait, with a real daemon and tmux.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, daemon, rollcall, runToEnd, temporaryHome, until } from "./product.ts";
import { hasTmux, tmux, whyNoTmux } from "./watching.ts";

it("takes the step that the config declares, and says why it takes none", async () => {
  const home = temporaryHome();
  const done = join(home, "done");
  writeFileSync(
    join(home, "rollcall.yaml"),
    `agents:
  - { id: bot, every: 1h, recover: [{ do: restart, with: { command: [/bin/sh, -c, "echo again >>${done}"] } }] }
  - { id: other, every: 1h }
`,
  );
  await daemon(home);
  const { stdout, status } = await cli(home, "restart", "bot", "--json");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ agent: "bot", step: "restart" });
  expect(readFileSync(done, "utf8")).toBe("again\n");
  expect(await cli(home, "nudge", "bot")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("its recovery steps (recover in the config) have no nudge step"),
  });
  expect(await cli(home, "wake", "nobody")).toMatchObject({ status: 3 });
});

it("shows the end of a log, and goes on with what is added", async () => {
  const home = temporaryHome();
  const log = join(home, "bot.log");
  writeFileSync(log, Array.from({ length: 9 }, (_, n) => `line ${n}\n`).join(""));
  writeFileSync(
    join(home, "rollcall.yaml"),
    `agents: [{ id: bot, log: { path: "${log}", plain: true } }, { id: other }]`,
  );
  expect((await cli(home, "logs", "bot", "-n", "2")).stdout).toBe("line 7\nline 8\n");
  const shown = join(home, "shown");
  const following = runToEnd("/bin/sh", [
    "-c",
    `ROLLCALL_HOME=${home} ${process.execPath} ${rollcall} logs bot --follow -n 1 >${shown} & echo $! >${home}/pid; wait`,
  ]);
  await until(
    () => existsSync(shown) && readFileSync(shown, "utf8"),
    (text) => text === "line 8\n",
  );
  appendFileSync(log, "line 9\n");
  await until(
    () => readFileSync(shown, "utf8"),
    (text) => text === "line 8\nline 9\n",
  );
  process.kill(Number(readFileSync(join(home, "pid"), "utf8")), "SIGINT");
  await following;
  expect((await cli(home, "logs", "other")).stderr).toContain('agent "other" has no log on this host');
  // What a cycle of it wrote is its log, too.
  await cli(home, "run", "other", "--", "sh", "-c", "echo fatal: no disk >&2; exit 7");
  expect((await cli(home, "logs", "other")).stdout).toContain("fatal: no disk\n");
});

it("waits for a state, and gives up when the time is over", async () => {
  const home = temporaryHome();
  await cli(home, "beat", "bot");
  expect(await cli(home, "wait", "bot", "--for", "idle,dead", "--timeout", "10ms")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("bot is alive, not idle or dead"),
  });
  const waiting = cli(home, "wait", "bot", "--for", "failing", "--json");
  await cli(home, "beat", "bot", "--status", "error");
  const { status, stdout } = await waiting;
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ id: "bot", state: "failing" });
  expect((await cli(home, "wait", "bot", "--for", "asleep")).status).toBe(2);
  expect((await cli(home, "wait", "nobody", "--for", "idle")).status).toBe(3);
});

describe.runIf(hasTmux)(`a pane${whyNoTmux}`, () => {
  it("is attached from outside, and switched to from inside of its server", async () => {
    const pane = tmux("echo hello; exec sleep 600");
    const home = temporaryHome(`agents: [{ id: bot, tmux: { session: agent, socket: "${pane.socket}" } }]`);
    const { stdout } = await cli(home, "attach", "bot", "--json");
    const { command } = JSON.parse(stdout) as { command: readonly string[] };
    expect(command.slice(3)).toEqual(["attach-session", "-t", expect.stringMatching(/^%\d+$/)]);
    const inside = await runToEnd(process.execPath, [rollcall, "attach", "bot", "--json"], {
      ROLLCALL_HOME: home,
      TMUX: `${command[2]},1,0`,
    });
    expect((JSON.parse(inside.stdout) as { command: string[] }).command[3]).toBe("switch-client");
    spawnSync("tmux", ["-S", command[2] ?? "", "kill-server"]);
    expect((await cli(home, "attach", "bot")).stderr).toContain(
      'the tmux session agent of agent "bot" does not exist',
    );
  });
});
