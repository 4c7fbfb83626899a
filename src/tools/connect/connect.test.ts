import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse } from "jsonc-parser";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOOK_CLIENTS, type HookClient } from "../../core/hook/event.ts";
import { runNow } from "../../system/exec.ts";
import { CONNECTABLE } from "./clients.ts";
import { Connections } from "./connect.ts";

let root = "";
let env: NodeJS.ProcessEnv = {};
let connections: Connections;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-connect-")));
  env = { HOME: join(root, "user home"), PATH: "" };
  mkdirSync(join(root, "user home"));
  connections = new Connections(join(root, "home"), env);
});
afterEach(() => rmSync(root, { recursive: true }));

const fileOf = (client: HookClient) => CONNECTABLE.find((one) => one.client === client)?.file(env) ?? "";
const put = (client: HookClient, text: string) => {
  const file = fileOf(client);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};
const read = (file: string) => readFileSync(file, "utf8");
const QUIET = { status: 0, stdout: Buffer.alloc(0), stderr: "" };
const WITH_HOOKS = ["claude-code", "codex", "gemini-cli", "qwen-code"] as const;

const ODD: Readonly<Record<string, string>> = {
  "comments and a trailing comma": `// mine
{
  "model": "x", // why
  /* all of these */
  "hooks": {
    "Stop": [
      // keep this one
      { "hooks": [{ "type": "command", "command": "say done" }] },
    ],
  },
}
`,
  "odd indentation and unknown keys": `{ "zeta":1,
        "hooks":   {"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"a"},{"type":"http","url":"http://x"}]}],
   "SomethingNew": [ ]  },
\t"alpha": {"b":[1,2,   3]}}`,
  tabs: '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 2\n\t}\n}\n',
  "carriage returns and a mark at its beginning": '\ufeff{\r\n  "a": 1\r\n}\r\n',
  "no line break at its end": '{"a":1}',
  nothing: "",
  "an empty object": "{}",
};

describe("connect, then disconnect", () => {
  it.each(HOOK_CLIENTS)("%s: leaves nothing where nothing was", (client) => {
    expect(connections.connect(client)).toEqual({ file: fileOf(client), changed: true });
    expect(connections.standings().find((one) => one.client === client)?.state).toBe("connected");
    expect(connections.connect(client).changed).toBe(false);
    expect(connections.disconnect(client)).toEqual({ file: fileOf(client), how: "as it was" });
    expect(existsSync(fileOf(client))).toBe(false);
    expect(existsSync(dirname(fileOf(client)))).toBe(false);
  });

  it.each(
    WITH_HOOKS.flatMap((client) => Object.entries(ODD).map(([what, text]) => [client, what, text] as const)),
  )("%s: a file with %s stays byte for byte", (client, _, text) => {
    const file = put(client, text);
    connections.connect(client);
    const between = read(file);
    expect(between).not.toBe(text);
    // What was there is still there, in its order: taking our lines away gives it back.
    const before = parse(text || "{}") as Record<string, unknown>;
    expect(Object.keys(parse(between) as object).slice(0, Object.keys(before).length)).toEqual(
      Object.keys(before),
    );
    for (const piece of ["// mine", "// why", "/* all of these */", "// keep this one", "say done", "3]}"])
      expect(between.includes(piece)).toBe(text.includes(piece));
    expect(connections.disconnect(client).how).toBe("as it was");
    expect(read(file)).toBe(text);
  });

  it("what was changed since stays changed, without our hooks", () => {
    const file = put("claude-code", ODD["comments and a trailing comma"] ?? "");
    connections.connect("claude-code");
    writeFileSync(file, read(file).replace('"model": "x"', '"model": "y"'));
    expect(connections.disconnect("claude-code").how).toBe("without our hooks");
    expect(read(file)).toBe(
      (ODD["comments and a trailing comma"] ?? "").replace('"model": "x"', '"model": "y"'),
    );
  });

  it("through a link it changes the file that the link leads to, and the link stays", () => {
    const real = join(root, "dotfiles.json");
    writeFileSync(real, '{"a":1}');
    mkdirSync(dirname(fileOf("claude-code")), { recursive: true });
    symlinkSync(real, fileOf("claude-code"));
    connections.connect("claude-code");
    expect(lstatSync(fileOf("claude-code")).isSymbolicLink()).toBe(true);
    expect(read(real)).toContain("/connect/hook");
    connections.disconnect("claude-code");
    expect(read(real)).toBe('{"a":1}');
  });

  it("keeps the mode of the file", () => {
    const file = put("qwen-code", "{}");
    chmodSync(file, 0o640);
    connections.connect("qwen-code");
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it("again after an update of ours: the original stays the one from before the first time", () => {
    const file = put("codex", '{"a":1}');
    connections.connect("codex");
    const moved = new Connections(join(root, "home"), env);
    moved.connect("codex");
    moved.disconnect("codex");
    expect(read(file)).toBe('{"a":1}');
  });

  it("leaves nothing beside the files", () => {
    const file = put("claude-code", "{}");
    connections.connect("claude-code");
    expect(readdirSync(dirname(file))).toEqual(["settings.json"]);
  });
});

describe("a Codex of before its hooks", () => {
  const config = () => join(root, "user home", ".codex", "config.toml");
  const standing = () => connections.standings().find(({ client }) => client === "codex");
  /** Installs a program that says this version, and looks again with new eyes. */
  const installed = (version: string) => {
    const bin = join(root, "bin");
    mkdirSync(bin, { recursive: true });
    mkdirSync(dirname(config()), { recursive: true });
    writeFileSync(join(bin, "codex"), `#!/bin/sh\necho codex-cli ${version}\n`, { mode: 0o755 });
    env = { ...env, PATH: `${bin}:${process.env.PATH}` };
    connections = new Connections(join(root, "home"), env);
  };
  const callIn = (text: string) => {
    const [, list = "[]"] = /^\ufeff?notify = (\[.*\])\r?\n/.exec(text) ?? [];
    return JSON.parse(list) as readonly string[];
  };

  it.each([
    ["0.39.0", "config.toml"],
    ["0.98.0", "config.toml"],
    ["0.123.9", "config.toml"],
    ["0.124.0", "hooks.json"],
    ["0.169.0", "hooks.json"],
    ["1.0.0", "hooks.json"],
    ["of no number", "hooks.json"],
  ])("version %s is connected by %s", (version, name) => {
    installed(version);
    expect(connections.connect("codex")).toEqual({ file: join(dirname(config()), name), changed: true });
    expect(readdirSync(dirname(config()))).toEqual([name]);
    expect(standing()).toMatchObject({ state: "connected", file: join(dirname(config()), name) });
    expect(connections.disconnect("codex").how).toBe("as it was");
    expect(readdirSync(dirname(config()))).toEqual([]);
  });

  it.each([
    ["tables", '# mine\nmodel = "x" # why\n\n[projects."/a"]\ntrust_level = "trusted"\n'],
    ["only a table", '[tui]\nnotify = ["not", "this", "one"]\n'],
    [
      "long strings",
      'a = """\nnotify = [1]\n[x]\n\\""""\nb = \'\'\'\nnotify = 1\'\'\'\nc = [\n  "]", # ]\n]\n',
    ],
    ["carriage returns and a mark at its beginning", '\ufeffmodel = "x"\r\n[a]\r\n'],
    ["no line break at its end", 'model = "x"'],
    ["nothing", ""],
  ])("a config with %s stays byte for byte", (_, text) => {
    installed("0.98.0");
    writeFileSync(config(), text);
    connections.connect("codex");
    expect(callIn(read(config()))).toEqual([
      "sh",
      "-c",
      expect.stringContaining("/connect/hook"),
      "rollcall",
    ]);
    expect(read(config()).endsWith(text.replace("\ufeff", ""))).toBe(true);
    expect(connections.connect("codex").changed).toBe(false);
    expect(connections.disconnect("codex").how).toBe("as it was");
    expect(read(config())).toBe(text);
  });

  it("what Codex wrote since stays, without our line", () => {
    installed("0.98.0");
    writeFileSync(config(), 'model = "x"\n');
    connections.connect("codex");
    writeFileSync(config(), `${read(config())}[projects."/a"]\ntrust_level = "trusted"\n`);
    expect(connections.disconnect("codex").how).toBe("without our hooks");
    expect(read(config())).toBe('model = "x"\n[projects."/a"]\ntrust_level = "trusted"\n');
  });

  it.each(['notify = ["mine"]\n', 'model = "x"\n"notify" = [\n  "mine",\n]\n[tui]\n'])(
    "a notify of the user's own stays, and the way out is named: %j",
    (text) => {
      installed("0.98.0");
      writeFileSync(config(), text);
      expect(() => connections.connect("codex")).toThrow(
        /notify of your own.*leaves yours as it is.*update Codex to 0\.124\.0 or newer.*\/connect\/hook'? codex$/,
      );
      expect(read(config())).toBe(text);
      expect(standing()?.state).toBe("not connected");
    },
  );

  it("a config that is not TOML is left alone", () => {
    installed("0.98.0");
    writeFileSync(config(), 'a = 1\nb = "never\n');
    expect(() => connections.connect("codex")).toThrow(/not valid TOML \(line 2 never ends\)/);
    expect(read(config())).toBe('a = 1\nb = "never\n');
  });

  it("after an update of Codex the old line is still in force, and connecting again moves it to the hooks", () => {
    installed("0.98.0");
    writeFileSync(config(), 'model = "x"\n');
    connections.connect("codex");
    installed("0.169.0");
    expect(standing()).toMatchObject({ state: "connected", file: config(), tells: "ends of turns" });
    expect(connections.connect("codex")).toEqual({ file: fileOf("codex"), changed: true });
    expect(read(config())).toBe('model = "x"\n');
    expect(connections.disconnect("codex").how).toBe("as it was");
    expect(readdirSync(dirname(config()))).toEqual(["config.toml"]);
  });

  it("before any `connect` after the update, disconnecting still gives the old file back", () => {
    installed("0.98.0");
    writeFileSync(config(), 'model = "x"\n');
    connections.connect("codex");
    installed("0.169.0");
    expect(connections.disconnect("codex")).toEqual({ file: config(), how: "as it was" });
    expect(read(config())).toBe('model = "x"\n');
  });

  it("passes on exactly what Codex gives it, from a process right below Codex; without the script it is silent", () => {
    installed("0.98.0");
    connections.connect("codex");
    const [program = "", ...args] = callIn(read(config()));
    const told = JSON.stringify({
      type: "agent-turn-complete",
      "last-assistant-message": "a\n'$HOME' `x` \"ü\"",
    });
    expect(runNow(program, [...args, told], { env })).toEqual(QUIET);
    const script = join(root, "home", "connect", "hook");
    writeFileSync(script, '#!/bin/sh\necho "$1 $PPID"\ncat\n', { mode: 0o755 });
    const { status, stdout } = runNow(program, [...args, told], { env });
    expect({ status, said: stdout.toString("utf8") }).toEqual({
      status: 0,
      said: `codex ${process.pid}\n${told}\n`,
    });
  });
});

describe("refusals change nothing", () => {
  it.each<[string, string, RegExp]>([
    ["invalid JSON", '{"a": [1,,]', /not valid JSON \(line 1/],
    ["no object", "[1]", /expected an object/],
    ["hooks that are no object", '{"hooks": 3}', /hooks: expected an object/],
    ["an event that is no list", '{"hooks": {"Stop": {}}}', /hooks.Stop: expected a list/],
  ])("%s", (_, text, why) => {
    const file = put("claude-code", text);
    expect(() => connections.connect("claude-code")).toThrow(why);
    expect(read(file)).toBe(text);
    expect(readdirSync(dirname(file))).toEqual(["settings.json"]);
  });

  it("a file that is read-only", () => {
    const file = put("claude-code", "{}");
    chmodSync(file, 0o444);
    expect(() => connections.connect("claude-code")).toThrow(/is read-only/);
    expect(read(file)).toBe("{}");
  });

  it("a link that leads nowhere", () => {
    mkdirSync(dirname(fileOf("codex")), { recursive: true });
    symlinkSync(join(root, "gone"), fileOf("codex"));
    expect(() => connections.connect("codex")).toThrow(/leads nowhere/);
    expect(existsSync(join(root, "gone"))).toBe(false);
  });
});

it("the hooks that people pasted are replaced, and other people's stay", () => {
  const pasted = `'/usr/bin/node' '/x/rollcall.js' 'beat' 'allegro' '--action' 'turn over' >/dev/null 2>&1 || true`;
  const plain = "/usr/bin/node /x/rollcall.js beat allegro --action 'session ended' >/dev/null 2>&1 || true";
  const hook = (command: string) => ({ hooks: [{ type: "command", command, timeout: 10 }] });
  const hooks = { Stop: [hook("mine"), hook(pasted)], SessionEnd: [hook(plain)] };
  const text = JSON.stringify({ hooks }, null, 2);
  const file = put("claude-code", text);
  connections.connect("claude-code");
  const between = read(file);
  expect(between).not.toContain("allegro");
  expect(between).toContain('"mine"');
  connections.disconnect("claude-code");
  expect(read(file)).toBe(text);
});

it("two at once: both are done, one after the other, and all is given back", async () => {
  const texts = WITH_HOOKS.map((client) => [put(client, ODD.tabs ?? ""), ODD.tabs] as const);
  const others = [connections, new Connections(join(root, "home"), env)];
  await Promise.all(WITH_HOOKS.flatMap((client) => others.map(async (one) => one.connect(client))));
  for (const client of WITH_HOOKS) connections.disconnect(client);
  for (const [file, text] of texts) expect(read(file)).toBe(text);
  expect(connections.clear()).toBeUndefined();
});

it("hooks that somebody overwrote are found", () => {
  const file = put("claude-code", "{}");
  connections.connect("claude-code");
  writeFileSync(file, "{}");
  expect(connections.standings().find(({ client }) => client === "claude-code")?.state).toBe("overwritten");
});

it("settings that switch all hooks off are named", () => {
  const standing = () => connections.standings().find(({ client }) => client === "claude-code");
  const file = put("claude-code", '{ "disableAllHooks": true } // for now\n');
  connections.connect("claude-code");
  expect(standing()).toMatchObject({
    state: "connected",
    problem: `"disableAllHooks": true in ${file} makes claude call no hook; remove it`,
  });
  writeFileSync(file, read(file).replace("true", "false"));
  expect(standing()).not.toHaveProperty("problem");
});

it("the script of a home that is gone is silence", () => {
  connections.connect("codex");
  const { hooks } = JSON.parse(read(fileOf("codex"))) as {
    hooks: { Stop: { hooks: { command: string }[] }[] };
  };
  const command = hooks.Stop[0]?.hooks[0]?.command ?? "";
  expect(runNow("sh", ["-c", command], { env: {}, input: Buffer.from("{}") })).toEqual(QUIET);
});

it("without a watcher the script says nothing and does not fail, and its token stands in a file of the owner's", () => {
  connections.prepare("http://127.0.0.1:9", { id: "t", secret: "rc_secret" });
  const script = join(root, "home", "connect", "hook");
  const options = { env: { PATH: process.env.PATH }, input: Buffer.from("{}") };
  expect(runNow(script, ["codex"], options)).toEqual(QUIET);
  expect(read(script)).not.toContain("rc_secret");
  expect(statSync(join(root, "home", "connect", "curl")).mode & 0o077).toBe(0);
});

it("nobody waits for a watcher that takes a connection and never answers", async () => {
  const sockets: Socket[] = [];
  let closed = 0;
  const server = createServer((socket) => {
    sockets.push(socket);
    socket
      .on("error", () => {})
      .on("close", () => {
        closed += 1;
      });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  connections.prepare(`http://127.0.0.1:${port}`, { id: "t", secret: "rc_secret" });
  const child = spawn(join(root, "home", "connect", "hook"), ["codex"], { env: { PATH: process.env.PATH } });
  child.stdin.end('{"a":1}');
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
  const status = await new Promise((done) => child.once("close", done));
  // The script has ended and holds none of the client's pipes, while its question still stands.
  expect({ status, said, closed }).toEqual({ status: 0, said: "", closed: 0 });
  for (const socket of sockets) socket.destroy();
  await new Promise((done) => server.close(done));
});
