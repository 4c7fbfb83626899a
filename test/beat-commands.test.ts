// `rollcall beat` and its twin in sh, run for real on one table of inputs: what they write must be equal.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";

const bin = (name: string) => fileURLToPath(new URL(`../bin/${name}`, import.meta.url));
const NODE = [process.execPath, bin("rollcall.js"), "beat"];
const SHELLS = [["sh"], ["bash"], ["bash", "--posix"], ["busybox", "ash"]]
  .filter(([shell, ...rest]) => spawnSync(shell ?? "", [...rest, "-c", ":"]).status === 0)
  .map((shell) => [...shell, bin("rollcall-beat")]);

const root = mkdtempSync(join(tmpdir(), "rollcall-commands-"));
afterAll(() => rmSync(root, { recursive: true }));
const newHome = () => mkdtempSync(join(root, "home-"));

/** Runs a command. Arguments may hold any bytes but NUL, which only a shell's printf can hand on. */
function run(
  command: readonly string[],
  args: readonly (string | Buffer)[],
  home: string,
  more: Readonly<Record<string, string>> = {},
) {
  const octal = (text: string | Buffer) =>
    [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  const handOn = args.some((arg) => typeof arg !== "string");
  // The x keeps newlines at the end, which command substitution would strip.
  const script = args.map((arg, i) => `a${i}=$(printf '${octal(arg)}x'); `).join("");
  const line = handOn
    ? ["sh", "-c", `${script}exec "$@" ${args.map((_, i) => `"\${a${i}%x}"`).join(" ")}`, "sh", ...command]
    : [...command, ...(args as string[])];
  const [program = "", ...rest] = line;
  const env = { ...process.env, ROLLCALL_HOME: home, ROLLCALL_CYCLE: "", ROLLCALL_AGENT: "", ...more };
  const { status, stdout, stderr } = spawnSync(program, rest, { encoding: "utf8", env });
  return { status, stdout, stderr: stderr.replaceAll("rollcall-beat", "rollcall beat") };
}

const SET_APART = /"(id|sentAt)":"[^"]*"/g;

/** The one beat in a home, as text without what differs from beat to beat. */
function written(home: string): string {
  const [name = "", ...more] = readdirSync(join(home, "spool"));
  const text = readFileSync(join(home, "spool", name), "utf8");
  const { id, agent, sentAt } = JSON.parse(text);
  expect(more).toEqual([]);
  expect(name).toBe(`${id}.json`);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toBe(Date.parse(sentAt));
  expect(new Date(sentAt).toISOString()).toBe(sentAt);
  expect(Math.abs(Date.now() - Date.parse(sentAt))).toBeLessThan(60_000);
  expect(readdirSync(join(home, "beats"))).toEqual([`${agent}.json`]);
  expect(readFileSync(join(home, "beats", `${agent}.json`), "utf8")).toBe(text);
  for (const path of ["", "beats", "spool"]) expect(statSync(join(home, path)).mode & 0o777).toBe(0o700);
  for (const path of [`spool/${name}`, `beats/${agent}.json`])
    expect(statSync(join(home, path)).mode & 0o777).toBe(0o600);
  return text.replace(SET_APART, "");
}

const bytes = (...values: number[]) => Buffer.from(values);

describe("both commands write the same beat", () => {
  const inputs: readonly [string, readonly (string | Buffer)[], object][] = [
    ["nothing but the agent", ["allegro"], { status: "ok", source: "agent" }],
    [
      "every option",
      ["--cycle", "7", "allegro", "--action=sync", "--status", "error", "--message", "m", "--config", "x"],
      { cycle: 7, action: "sync", status: "error", message: "m" },
    ],
    ["the smallest cycle, with zeros before it", ["a", "--cycle=000"], { cycle: 0 }],
    ["the largest cycle", ["a", "--cycle", "9007199254740991"], { cycle: 9007199254740991 }],
    ["the longest id", ["a".repeat(128)], { agent: "a".repeat(128) }],
    ["an id with every mark", ["0_@-"], { agent: "0_@-" }],
    ["quotes and backslashes", ["a", "--action", `"it's" \\n \\" \\`], { action: `"it's" \\n \\" \\` }],
    ["newlines and tabs", ["a", "--message", "\n1\n\n2\t\n"], { message: "\n1\n\n2\t\n" }],
    ["control characters", ["a", "--message", "\x01\b\f\r\x1b[0m\x7f"], { message: "\x01\b\f\r\x1b[0m\x7f" }],
    ["other scripts and emoji", ["a", "--action", "naïve 東京 👩‍🚀"], { action: "naïve 東京 👩‍🚀" }],
    ["what a shell would run", ["a", "--action", "$(x) `x` $HOME *; %s"], { action: "$(x) `x` $HOME *; %s" }],
    ["values with dashes", ["a", "--action", "-x", "--message=--y"], { action: "-x", message: "--y" }],
    ["an agent after --", ["--action", "--", "--", "a"], { agent: "a", action: "--" }],
    ["empty text", ["a", "--action", "", "--message="], { status: "ok" }],
    ["the last of two", ["a", "--action", "1", "--action", "2"], { action: "2" }],
    ["text that is too long", ["a", "--action", "y".repeat(50_000)], { action: `${"y".repeat(999)}…` }],
    ["long text to escape", ["a", "--message", '"\n'.repeat(900)], { message: '"\n'.repeat(900) }],
    ["emoji at the cut", ["a", "--action", "😀".repeat(501)], { action: `${"😀".repeat(499)}…` }],
    ["Latin-1", ["a", "--action", bytes(0x6e, 0x61, 0xef, 0x76, 0x65)], { action: "na\ufffdve" }],
    [
      "broken UTF-8",
      ["a", "--action", bytes(0xff, 0x22, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x5c, 0xf0, 0x9f, 0x98)],
      { action: '\ufffd"\ufffd(\ufffd\ufffd\ufffd\\\ufffd' },
    ],
  ];
  test.each(inputs)("%s", (_, args, expected) => {
    const [ours, ...twins] = [NODE, ...SHELLS].map((command) => {
      const user = newHome();
      expect(run(command, args, "", { HOME: user })).toEqual({ status: 0, stdout: "", stderr: "" });
      return written(join(user, ".rollcall"));
    });
    expect(JSON.parse(`{${ours?.replace(/^\{,|^\{/, "").replace(/,\}\n$/, "}")}`)).toMatchObject(expected);
    for (const twin of twins) expect(twin).toBe(ours);
  });

  test("an empty HOME counts as unset: the user's own folder is meant", () => {
    const missing = `no-such-folder-${process.pid}`;
    for (const command of [NODE, ...SHELLS])
      expect(run(command, ["a", "--home", `~/${missing}`], "", { HOME: "" })).toMatchObject({
        status: 3,
        stderr: expect.stringContaining(`there is no folder "${join(userInfo().homedir, missing)}"`),
      });
    const status = spawnSync(process.execPath, [bin("rollcall.js"), "status", "--home", `~/${missing}`], {
      ...{ encoding: "utf8", env: { ...process.env, HOME: "" } },
    });
    expect(status.stderr).toContain(`there is no folder "${join(userInfo().homedir, missing)}"`);
  });

  test("the agent's process, and the beat on request", () => {
    const args = ["allegro", "--pid", String(process.pid), "--json"];
    const [ours, ...twins] = [NODE, ...SHELLS].map((command) => {
      const home = newHome();
      const { status, stdout, stderr } = run(command, args, home);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(stdout).toBe(readFileSync(join(home, "beats", "allegro.json"), "utf8"));
      return stdout.replace(SET_APART, "");
    });
    if (existsSync("/proc/self/stat"))
      expect(ours).toContain(`"incarnation":{"pid":${process.pid},"startTime"`);
    for (const twin of twins) expect(twin).toBe(ours);
  });

  const woken: readonly [string, readonly string[], Record<string, string>, number | undefined][] = [
    ["its own", ["allegro"], { ROLLCALL_CYCLE: "0012", ROLLCALL_AGENT: "allegro" }, 12],
    ["of nobody in particular", ["allegro"], { ROLLCALL_CYCLE: "12" }, 12],
    ["another agent's", ["allegro"], { ROLLCALL_CYCLE: "12", ROLLCALL_AGENT: "other" }, undefined],
    ["its own, but told otherwise", ["allegro", "--cycle", "3"], { ROLLCALL_CYCLE: "12" }, 3],
  ];
  test.each(woken)("of the cycle in which they run, %s", (_, args, env, cycle) => {
    for (const command of [NODE, ...SHELLS]) {
      const { status, stdout } = run(command, [...args, "--json"], newHome(), env);
      expect([status, JSON.parse(stdout).cycle]).toEqual([0, cycle]);
    }
  });

  test("any bytes become JSON that holds what every UTF-8 decoder reads in them", () => {
    const byte = fc.oneof(
      fc.integer({ min: 1, max: 255 }),
      fc.constantFrom(0x0a, 0x22, 0x5c, 0x80, 0x9f, 0xbf, 0xc3, 0xe0, 0xed, 0xf0, 0xf4),
    );
    fc.assert(
      fc.property(fc.array(byte, { minLength: 1, maxLength: 400 }), fc.nat(), (values, which) => {
        const home = newHome();
        const text = Buffer.from(values);
        const command = SHELLS[which % SHELLS.length] ?? [];
        expect(run(command, ["a", "--action", text], home).status).toBe(0);
        const latest = readFileSync(join(home, "beats", "a.json"));
        const decoded = new TextDecoder("utf-8", { fatal: true }).decode(latest);
        expect(JSON.parse(decoded).action).toBe(text.toString("utf8"));
      }),
      { numRuns: 20 },
    );
  });
});

describe("both commands refuse, with the same words and nothing written", () => {
  const wrong: readonly [string, readonly string[], string][] = [
    ["a slash", ["a/b"], 'not "a/b"'],
    ["a dot", ["a.b"], 'not "a.b"'],
    ["dots", ["../a"], 'not "../a"'],
    ["an empty id", [""], 'not ""'],
    ["300 characters", ["a".repeat(300)], `not "${"a".repeat(78)}…`],
    ["control characters", ["a\n\x01"], 'not "a\\n\\u0001"'],
    ["a dash first", ["--", "-a"], 'not "-a"'],
    ["an unknown status", ["a", "--status", "fine"], 'status: expected "ok" or "error", not "fine"'],
    ["an empty status", ["a", "--status="], 'not ""'],
    ["a negative cycle", ["a", "--cycle", "-1"], "from 0 to 9007199254740991, not"],
    ["a fractional cycle", ["a", "--cycle", "1.5"], 'not "1.5"'],
    ["a huge cycle", ["a", "--cycle", "9007199254740992"], 'not "9007199254740992"'],
    ["a cycle beyond all counting", ["a", "--cycle", "9".repeat(40)], "cycle: expected"],
    ["an unknown option", ["a", "--cycel", "7"], 'unknown option "--cycel"'],
    ["an unknown letter", ["a", "-x"], 'unknown option "-x"'],
    ["a value too many", ["a", "--json=yes"], '--json takes no value, not "yes"'],
    ["a value too few", ["a", "--action"], "--action needs a value"],
    ["no agent", ["--cycle", "7"], "no agent given"],
    ["two agents", ["a", "--", "b"], 'expected one agent, not also "b"'],
    ["a home without a name", ["a", "--home", ""], "--home needs a folder"],
    ["a pid that is none", ["a", "--pid", "0"], 'pid: expected a process id such as 4711, not "0"'],
    ["a pid that nobody has", ["a", "--pid", "1073741824"], 'expected a process that runs, not "1073741824"'],
  ];
  test.each(wrong)("%s", (_, args, words) => {
    const home = newHome();
    const [ours, ...twins] = [NODE, ...SHELLS].map((command) => run(command, args, home));
    expect(ours).toMatchObject({ status: 2, stdout: "" });
    expect(ours?.stderr).toContain(words);
    expect(ours?.stderr.split("\n").length).toBeLessThanOrEqual(3);
    for (const twin of twins) expect(twin).toEqual(ours);
    expect(readdirSync(home)).toEqual([]);
  });

  test.each([NODE, ...SHELLS])("a home that is named and not there: %s %s", (...command) => {
    const home = join(newHome(), "gone");
    const says = `there is no folder "${home}"\n`;
    expect(run(command, ["allegro"], home)).toEqual({
      ...{ status: 3, stdout: "", stderr: `rollcall beat: ROLLCALL_HOME: ${says}` },
    });
    expect(run(command, ["allegro", "--home", home], "")).toEqual({
      ...{ status: 3, stdout: "", stderr: `rollcall beat: --home: ${says}` },
    });
    expect(existsSync(home)).toBe(false);
  });

  test.each([NODE, ...SHELLS])("a home that cannot be written, with its path: %s %s", (...command) => {
    const home = join(newHome(), "file");
    writeFileSync(home, "");
    const { status, stderr } = run(command, ["allegro"], home);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^rollcall beat: cannot write .*file\/beats: .+\n$/);
  });
});

test.skipIf(process.getuid?.() === 0)("both say that a home is read-only", () => {
  for (const command of [NODE, ...SHELLS]) {
    const home = newHome();
    chmodSync(home, 0o500);
    const { status, stderr } = run(command, ["allegro"], home);
    expect(status).toBe(1);
    expect(stderr.toLowerCase()).toContain(`cannot write ${home.toLowerCase()}/beats: permission denied`);
  }
});

test("both say which variable holds no cycle", () => {
  for (const command of [NODE, ...SHELLS]) {
    const { status, stderr } = run(command, ["allegro"], newHome(), { ROLLCALL_CYCLE: "x" });
    expect(status).toBe(2);
    expect(stderr).toContain('ROLLCALL_CYCLE: expected a whole number from 0 to 9007199254740991, not "x"');
  }
});

test("both explain themselves with an example", () => {
  const [ours, ...twins] = [NODE, ...SHELLS].map((command) => run(command, ["--help"], newHome()));
  expect(ours?.stdout).toContain('rollcall beat allegro --cycle 7 --action "sync inbox"');
  for (const twin of twins)
    expect(twin.stdout.replaceAll("rollcall-beat", "rollcall beat")).toBe(ours?.stdout);
});

test("a later beat of another process stays the latest, in both", () => {
  for (const command of [NODE, ...SHELLS]) {
    const home = newHome();
    run(command, ["a"], home);
    const latest = join(home, "beats", "a.json");
    const beat = JSON.parse(readFileSync(latest, "utf8"));
    for (const [ahead, stays] of [
      [45_000, true],
      [3_600_000, false],
    ] as const) {
      const text = JSON.stringify({ ...beat, sentAt: new Date(Date.now() + ahead).toISOString() });
      writeFileSync(latest, text);
      expect(run(command, ["a"], home).status).toBe(0);
      expect(readFileSync(latest, "utf8") === text).toBe(stays);
    }
    expect(readdirSync(join(home, "spool"))).toHaveLength(3);
  }
});

test("of 50 beats at once all are in the spool, and no reader ever sees a half of one", async () => {
  const home = newHome();
  const message = "long ".repeat(1500);
  const running = Array.from({ length: 50 }, (_, i) => {
    const [program = "", ...rest] = (i % 5 === 0 ? NODE : SHELLS[i % SHELLS.length]) ?? [];
    const args = [...rest, "allegro", "--home", home, "--cycle", String(i), "--message", message];
    return once(spawn(program, args, { stdio: "ignore" }), "exit");
  });
  let over = false;
  const all = Promise.all(running).finally(() => {
    over = true;
  });
  const latest = join(home, "beats", "allegro.json");
  while (!over) {
    if (existsSync(latest)) expect(JSON.parse(readFileSync(latest, "utf8")).message).toBe(message);
    await new Promise((resume) => setTimeout(resume, 2));
  }
  expect((await all).map(([status]) => status)).toEqual(Array(50).fill(0));
  const names = readdirSync(join(home, "spool"));
  const beats = names.map((name) => JSON.parse(readFileSync(join(home, "spool", name), "utf8")));
  expect(beats.map((beat) => beat.cycle).sort((a, b) => a - b)).toEqual([...Array(50).keys()]);
  expect(beats.every((beat) => beat.message === message)).toBe(true);
  expect(readdirSync(join(home, "beats"))).toEqual(["allegro.json"]);
});
