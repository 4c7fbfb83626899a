import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, daemon, rollcall, runToEnd, temporaryHome, until } from "./product.ts";

it("check shows times on the reader's clock, as status does", async () => {
  const home = temporaryHome();
  await cli(home, "beat", "bot", "--state", "limited", "--until", "2090-01-01T00:00:00Z");
  const tokyo = { ROLLCALL_HOME: home, TZ: "Asia/Tokyo" };
  const checked = await runToEnd(process.execPath, [rollcall, "check", "bot"], tokyo);
  expect(checked.stdout).toContain("resets at 2090-01-01 09:00:00");
});

it("up --home names the home in the commands that it suggests", async () => {
  const home = temporaryHome();
  const running = await daemon(home, { ROLLCALL_HOME: "" }, {}, ["--home", home]);
  await until(running.said, (said) => said.includes("Ctrl-C stops"));
  for (const command of ["open", "beat allegro", "status"])
    expect(running.said()).toContain(`${command} --home ${home} `);
  expect(await running.end("SIGTERM")).toBe(0);
});

it("output that cannot be written is one sentence, and a reader that went away is none", async () => {
  const env = { ROLLCALL_HOME: temporaryHome() };
  const shell = (script: string) => runToEnd("bash", ["-c", script, process.execPath, rollcall], env);
  expect(await shell('"$0" "$1" status --json > /dev/full')).toMatchObject({
    status: 1,
    stderr: "rollcall: cannot write the output: no space left on the device\n",
  });
  expect(await shell('"$0" "$1" --help | head -1')).toMatchObject({ status: 0, stderr: "" });
});

describe("a command that is mistyped", () => {
  it("names the agent that was meant, with one exit code everywhere", async () => {
    const home = temporaryHome();
    await cli(home, "beat", "allegro");
    const stderr = 'rollcall: there is no agent "alegro"; did you mean "allegro"?\n';
    for (const words of [
      ...["status alegro", "check alegro", "explain alegro", "peek alegro", "beats alegro --json"],
      ...["agents pause alegro", "silence add --agent alegro --for 1h", "incidents --agent alegro"],
      "work start alegro dig",
    ])
      expect([words, await cli(home, ...words.split(" "))]).toEqual([
        words,
        { status: 3, stdout: "", stderr },
      ]);
  });

  it("names the home that is not there", async () => {
    const home = temporaryHome();
    for (const words of [
      "status",
      "silence",
      "config check",
      "silence add --agent x --for 1h",
      "run x true",
      "work start x dig",
    ])
      expect(await cli(home, "--home", `${home}x`, ...words.split(" "))).toEqual({
        status: 3,
        stdout: "",
        stderr: `rollcall: --home: there is no folder "${home}x"; did you mean "${home}"?\n`,
      });
    expect(await cli(`${home}x`, "status")).toEqual({
      status: 3,
      stdout: "",
      stderr: `rollcall: ROLLCALL_HOME: there is no folder "${home}x"; did you mean "${home}"?\n`,
    });
  });

  it("a file is no home", async () => {
    const home = temporaryHome();
    const file = join(home, "file");
    writeFileSync(file, "");
    const refused = {
      status: 3,
      stdout: "",
      stderr: `rollcall: the home "${file}" is not a folder; name one: --home DIR\n`,
    };
    for (const words of ["status", "up", "config check"])
      expect(await cli(home, "--home", file, ...words.split(" "))).toEqual(refused);
    expect(await cli(file, "status")).toEqual(refused);
  });

  it("a mute by a pattern that matches no agent yet is made, with a warning", async () => {
    const home = temporaryHome();
    await cli(home, "beat", "web-1");
    const mute = (...who: string[]) => cli(home, "silence", "add", ...who, "--for", "1h");
    expect(await mute("--agent", "zzz*")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("muted zzz*"),
      stderr: "rollcall: no agent on the roll matches zzz* yet\n",
    });
    expect(await mute("--agent", "web-*")).toMatchObject({ status: 0, stderr: "" });
    expect(await mute("--agent", "zzz")).toMatchObject({ status: 3 });
  });

  it("names a tmux session that is not there yet", async () => {
    const home = temporaryHome();
    const added = await cli(
      home,
      "agents",
      "add",
      "p",
      "--tmux",
      "gone1",
      "--tmux-socket",
      `none-${process.pid}`,
    );
    expect(added).toMatchObject({ status: 0, stdout: "added p\n" });
    expect(added.stderr).toMatch(
      /^rollcall: .*tmux.* yet; Rollcall reads the pane as soon as it is there\n$/,
    );
  });

  it("leaves the config in force when an edit has a mistake", async () => {
    const home = temporaryHome("agents: [{ id: allegro }]\n");
    const editor = `sh -c 'echo "polcy: 1" >> "$1"' x`;
    const env = { ROLLCALL_HOME: home, VISUAL: editor };
    const edited = await runToEnd(process.execPath, [rollcall, "config", "edit"], env);
    expect(edited.status).toBe(1);
    expect(edited.stderr).toContain("polcy: unknown key");
    expect(edited.stderr).toContain(
      "the old config stays in force; to go on with this text: rollcall config edit; to drop it: rm ",
    );
    expect(await cli(home, "config", "check")).toMatchObject({ status: 0 });
  });

  it("says so when the home lies below a file", async () => {
    const home = "/dev/null/home";
    const said = `rollcall: --home ${home}: a part of the path is not a folder; name another folder\n`;
    for (const words of ["status", "up", "daemon start"])
      expect(await cli(temporaryHome(), ...words.split(" "), "--home", home)).toMatchObject({
        stdout: "",
        stderr: said,
      });
  });
});

describe("a group of commands", () => {
  it("alone lists, also before anything was kept", async () => {
    const home = temporaryHome();
    for (const group of [
      "agents",
      "incidents",
      "silence",
      "deliveries",
      "channels",
      "actions",
      "token",
      "work",
    ])
      expect([group, (await cli(home, group, "--json")).status]).toEqual([group, 0]);
    expect(await cli(home, "incidents", "lst")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Did you mean list?"),
    });
  });
});

describe("config check", () => {
  it("warns of an agent in after that is not on the roll", async () => {
    const home = temporaryHome("agents: [{ id: a, after: [gatway, b] }, { id: b }, { id: gateway }]\n");
    const { status, stdout } = await cli(home, "config", "check");
    expect(status).toBe(0);
    expect(stdout).toContain("is valid, with 1 warning");
    expect(stdout).toContain(
      'agent a: after: there is no agent "gatway" on the roll yet; did you mean "gateway"?',
    );
  });
});

describe("config check", () => {
  it("warns of patterns in the policy that match no agent", async () => {
    const home = temporaryHome(
      "agents: [{ id: build-1 }]\npolicy: { tell: [{ agents: 'bulid-*' }, { agents: 'build-*' }], windows: [{ agents: build-2, hours: '02:00-04:00' }] }\n",
    );
    const { stdout } = await cli(home, "config", "check");
    expect(stdout).toContain('policy.tell[0].agents: there is no agent "bulid-*" on the roll yet');
    expect(stdout).toContain('policy.windows[0].agents: there is no agent "build-2" on the roll yet');
    expect(stdout).toContain("with 2 warnings");
  });
});

describe("--json", () => {
  it("names the mistakes of a config, and shows what install would write", async () => {
    const home = temporaryHome("agents:\n  - { id: a, every: soon }\n");
    const file = join(home, "rollcall.yaml");
    const { status, stdout } = await cli(home, "config", "check", "--json");
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      file,
      problems: [{ file, line: 2, path: "agents[0].every", message: expect.stringContaining('not "soon"') }],
    });
    writeFileSync(file, "agents: []\n");
    for (const kind of ["cron", "systemd"]) {
      const shown = await cli(home, "install", kind, "--print");
      const json = await cli(home, "install", kind, "--print", "--json");
      expect(JSON.parse(json.stdout)).toEqual({ changed: false, said: [], text: shown.stdout });
    }
  });
});

describe("a refusal", () => {
  it("names the flag that was typed, and the next step", async () => {
    const home = temporaryHome();
    expect(await cli(home, "agents", "add", "x", "--every", "foo")).toMatchObject({
      status: 2,
      stderr: 'rollcall: --every: expected a duration such as 15m, 1h30m or 90s, not "foo"\n',
    });
    expect((await cli(home, "daemon", "reload")).stderr).toContain("start it: rollcall daemon start");
  });

  it("of a reload says that the old config stays in force, and so do daemon status and daemon start", async () => {
    const home = temporaryHome("agents: [{ id: a }]\n");
    await daemon(home);
    writeFileSync(join(home, "rollcall.yaml"), "agents: [{ id: a, evry: 1m }]\n");
    const goesOn = "the watcher goes on with the config that it read before";
    expect(await cli(home, "daemon", "reload")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`not reloaded; ${goesOn}`),
    });
    expect((await cli(home, "daemon", "status")).stdout).toContain(goesOn);
    expect(await cli(home, "daemon", "start")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("already running"),
      stderr: expect.stringMatching(/rollcall\.yaml:1: .*evry: unknown key.*\nrollcall: the watcher goes on/),
    });
  });
});

describe("config show", () => {
  it("passes config check, and config check refuses what up refuses", async () => {
    const home = temporaryHome(
      'listen: "127.0.0.1:0"\npolicy: { hold: 90s }\nagents: [{ id: a, every: 9m }]\n',
    );
    const { stdout } = await cli(home, "config", "show");
    const file = join(home, "shown.yaml");
    writeFileSync(file, stdout);
    expect(await cli(home, "config", "check", "--config", file)).toMatchObject({ status: 0 });
    writeFileSync(file, 'listen: "0.0.0.0:7766"\n');
    const refused = { status: 1, stderr: expect.stringContaining("there is no token yet") };
    expect(await cli(home, "config", "check", "--config", file)).toMatchObject(refused);
    expect(await cli(home, "up", "--config", file)).toMatchObject(refused);
  });
});
