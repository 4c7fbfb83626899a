import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../config/load.ts";
import { homeAt, prepareHome } from "../home/home.ts";
import { operationsOf } from "../service/connect.ts";
import { refuseUnstartable, warningsOf, warningsWithLines } from "./check-config.ts";

async function loaded(text: string) {
  const path = mkdtempSync(join(tmpdir(), "rollcall-check-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  writeFileSync(join(path, "rollcall.yaml"), text);
  const home = homeAt(path);
  prepareHome(home);
  return { home, config: await loadConfig(path) };
}

it("names every secret and file that the config names and that is not there", async () => {
  const { home, config } = await loaded(`
channels:
  chat: { kind: telegram, chat: 1, tokenEnv: NO_SUCH_TOKEN }
  near: { kind: slack, urlFile: here }
  far: { kind: webhook, url: "https://example.org", secretFile: gone }
forge: { kind: github, repo: o/r, tokenFile: gone, template: gone.md }
tasks: { http: { url: "https://example.org", tokenFile: gone } }
tick: { registry: gone.json, ticks: ticks }
heartbeat: { actions: [{ name: x, every: 1h, webhook: { url: "https://example.org", tokenEnv: NO_SUCH_HOOK } }] }
daemon: { heartbeat: { telegram: { chat: 1, tokenFile: gone } } }
`);
  writeFileSync(join(home.path, "here"), "https://hooks.slack.com/x");
  const [old, ...warnings] = await warningsOf(config, home);
  expect(old).toContain("daemon.heartbeat.telegram: is now");
  expect(warnings.map((each) => each.split(": ")[0])).toEqual([
    "channels.chat.tokenEnv",
    "channels.far.secretFile",
    "forge.tokenFile",
    "tasks.http.tokenFile",
    "heartbeat.actions[0].webhook.tokenEnv",
    "daemon.heartbeat.telegram.tokenFile",
    "forge.template",
    "tick.registry",
  ]);
  expect(warnings[0]).toContain("NO_SUCH_TOKEN is not set");
  expect(warnings[1]).toContain("gone cannot be read (ENOENT)");
  await expect(refuseUnstartable(config, home)).resolves.toBeUndefined();
});

it("says which keys have a better name now, in one line each", async () => {
  const { home, config } = await loaded(`
hosts: [roll.example.org]
daemon: { heartbeat: { telegram: { chat: 1, tokenEnv: PATH } } }
`);
  expect(config).toMatchObject({ names: ["roll.example.org"] });
  expect(await warningsOf(config, home)).toEqual([
    "hosts: is now names:; the old key still works",
    "daemon.heartbeat.telegram: is now daemon.heartbeat.to:; the old key still works",
  ]);
});

it("names the commands that lose a variable which they mention", async () => {
  process.env.MADE_UP_MODE = "x";
  onTestFinished(() => {
    delete process.env.MADE_UP_MODE;
  });
  const { home, config } = await loaded(`
channels:
  far: { kind: webhook, url: "https://example.org", secretEnv: NO_SUCH_SECRET }
  own: { kind: command, argv: [sh, -c, "tell $MADE_UP_MODE $PATH $NOT_SET"] }
heartbeat: { actions: [{ name: x, every: 1h, command: { argv: [sh, -c, "echo $MADE_UP_MODE"], env: { MADE_UP_MODE: y } } }] }
tick: { capabilities: { mail: { command: "check $MADE_UP_MODE" } }, passEnv: [MADE_UP_MODE] }
defaults: { recover: [{ do: restart, with: { command: "start $ROLLCALL_AGENT \${MADE_UP_MODE:-y}" } }] }
agents:
  - id: a
    recover:
      - { do: nudge, text: $MADE_UP_MODE }
      - { do: restart, with: { command: [start, $NO_SUCH_SECRET, $MADE_UP_MODE], passEnv: [MADE_UP_MODE] } }
`);
  const lost = (await warningsOf(config, home)).filter((each) => each.includes("passEnv"));
  expect(lost).toEqual([
    "defaults.recover[0].with: the command mentions $MADE_UP_MODE, but does not get it; add passEnv: [MADE_UP_MODE]",
    "agent a: recover[1].with: the command mentions $NO_SUCH_SECRET, but does not get it; add passEnv: [NO_SUCH_SECRET]",
    "channels.own: the command mentions $MADE_UP_MODE, but does not get it; add passEnv: [MADE_UP_MODE]",
  ]);
});

it.each(["0.0.0.0:7766", "[::]:7766"])("refuses %s until somebody has a token", async (listen) => {
  const { home, config } = await loaded(`listen: "${listen}"`);
  await expect(refuseUnstartable(config, home)).rejects.toThrow(/rollcall\.yaml: listen: .* no token yet/);
  await operationsOf({ home: home.path }).createToken({ scope: "read" });
  await expect(refuseUnstartable(config, home)).resolves.toBeUndefined();
});

it("refuses an address that is none", async () => {
  await expect(loaded("listen: nowhere")).rejects.toThrow("expected an address such as 127.0.0.1:7766");
});
it("names programs, scripts and folders that commands need and that are not there", async () => {
  const { home, config } = await loaded(`
agents:
  - id: a
    recover: [{ do: restart, with: { command: "no-such-program --x && ls | no-such-filter", cwd: /no/folder } }]
channels:
  near: { kind: command, argv: [no-such-program, hi] }
  there: { kind: command, argv: [sh, -c, "cat > /dev/null"] }
heartbeat: { actions: [{ name: x, every: 1h, command: { argv: [node, no-such-script.js] } }] }
tick: { capabilities: { mail: { command: "test -d gone || no-such-program" } } }
`);
  expect(await warningsOf(config, home)).toEqual([
    "agent a: recover[0].with: the folder /no/folder does not exist",
    'agent a: recover[0].with: there is no program "no-such-program" in its PATH',
    'agent a: recover[0].with: there is no program "no-such-filter" in its PATH',
    `heartbeat.actions[0].command: ${join(home.path, "no-such-script.js")} does not exist`,
    'channels.near: there is no program "no-such-program" in its PATH',
    'tick.capabilities.mail: there is no program "no-such-program" in its PATH',
  ]);
});

it("names the steps that need a tmux pane, of agents that name none", async () => {
  const { home, config } = await loaded(`
agents:
  - id: blind
    recover: [{ do: nudge, text: go on }, { do: restart, with: { respawn: true } }, { do: interrupt }, { do: escalate }]
  - id: seen
    tmux: { session: seen }
    recover: [{ do: nudge, text: go on }, { do: restart, with: { respawn: true } }]
`);
  const needs = "needs a tmux pane, and the agent names none; add tmux: { session: … }";
  expect(await warningsOf(config, home)).toEqual([
    `agent blind: recover[0]: the step nudge ${needs}`,
    `agent blind: recover[1]: a restart with respawn ${needs}`,
    `agent blind: recover[2]: the step interrupt ${needs}`,
  ]);
});

it("names a log whose path asks for a key that the agent does not have, and an interval that is too short", async () => {
  const { home, config } = await loaded(`
livenessInterval: 1ms
agents:
  - { id: good, log: { path: "/tmp/{repo}/{agent}.log", keys: { repo: r } } }
  - { id: bad, log: { path: "/tmp/{agnt}.log" } }
`);
  expect(await warningsOf(config, home)).toEqual([
    "livenessInterval: 1ms is too short; expected at least 100ms",
    expect.stringMatching(/^agent bad: log.path: .*asks for \{agnt\}, which is not known here/),
  ]);
});

it("names the file and line of each key that it warns of, and the agent by its id", async () => {
  const { home, config } = await loaded(`# a comment
channels:
  far: { kind: webhook, url: "https://example.org", secretFile: gone }
agents:
  - { id: a }
  - id: b
    after: [nobody]
    recover:
      - { do: escalate }
      - { do: restart, with: { respawn: true } }
`);
  const file = join(home.path, "rollcall.yaml");
  const places = (await warningsWithLines(config, home)).map((each) =>
    each.split(": ").slice(0, 3).join(": "),
  );
  expect(places).toEqual([
    `${file}:7: agent b: after`,
    expect.stringMatching(`^${file}:3: channels.far.secretFile: `),
    `${file}:10: agent b: recover[1]`,
  ]);
});
