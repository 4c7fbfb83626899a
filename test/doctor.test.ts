import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it } from "vitest";
import type { KnownHost } from "../src/core/host/host.ts";
import { openSqlite } from "../src/store/sqlite/index.ts";
import { VERSION } from "../src/system/version.ts";
import { LEVELS, type Level } from "../src/tools/doctor/check.ts";
import { CHECKS } from "../src/tools/doctor/checks.ts";
import type { Report, ReportedFinding } from "../src/tools/doctor/examine.ts";
import { recordOf } from "../src/watch/mirror.ts";
import { newPlace } from "../src/watch/roll-place.ts";
import { type Done, daemon, root, runToEnd, temporaryHome, until } from "./product.ts";

const HOUR = 3_600_000;
const host = hostname().split(".")[0] ?? "";
const bin = join(root, "bin/rollcall.js");

/** A machine of the test's own: a home, a user, crontabs and units, with the real ones out of sight. */
interface Machine {
  readonly home: string;
  /** The user's own folder, with a space in its name. */
  readonly user: string;
  /** What stands for `/`. */
  readonly system: string;
  readonly doctor: (...args: string[]) => Promise<Done>;
  readonly setCrontab: (text: string) => void;
  readonly addUnit: (name: string, text: string) => string;
}

function machine(config?: string): Machine {
  const home = temporaryHome(config);
  const outside = temporaryHome();
  const [user, system, programs] = ["a user", "system", "programs"].map((name) => join(outside, name)) as [
    string,
    string,
    string,
  ];
  const units = join(user, ".config/systemd/user");
  const crontab = join(outside, "crontab.txt");
  for (const folder of [units, join(system, "etc/cron.d"), join(system, "proc/1"), programs])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(system, "proc/1/comm"), "cron\n");
  // It can only list: anything else that is asked of it fails the test that asks.
  const fake = `#!/bin/sh\n[ "$*" = -l ] || exit 99\n[ -f '${crontab}' ] && exec cat '${crontab}'\necho 'no crontab for me' >&2; exit 1\n`;
  executable(join(programs, "crontab"), fake);
  const env = {
    ROLLCALL_HOME: home,
    ROLLCALL_DOCTOR_ROOT: system,
    HOME: user,
    PATH: `${programs}:${process.env.PATH}`,
    XDG_CONFIG_HOME: "",
    XDG_DATA_HOME: "",
    XDG_RUNTIME_DIR: "",
  };
  return {
    home,
    user,
    system,
    doctor: (...args) => runToEnd(process.execPath, [bin, "doctor", ...args], env),
    setCrontab: (text) => writeFileSync(crontab, text),
    addUnit(name, text) {
      const file = join(units, name);
      writeFileSync(file, text);
      return file;
    },
  };
}

function knownHost(name: string, more: Partial<KnownHost>): KnownHost {
  const version = VERSION;
  return { name, kind: "server", joinedAt: 1, token: "t", machine: "m", version, acked: 0, ...more };
}

function executable(file: string, text: string): string {
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

/** The folders that a home has once it was used, and nothing else. */
function prepare({ home }: Machine): void {
  for (const name of ["beats", "spool", "logs"]) mkdirSync(join(home, name), { mode: 0o700 });
}

async function makeDatabase({ home }: Machine): Promise<void> {
  await (await openSqlite(join(home, "rollcall.db"))).close();
  chmodSync(join(home, "rollcall.db"), 0o600);
}

function writeLatestBeat({ home }: Machine, agent: string, at: number): void {
  const beat = { agent, host, sentAt: new Date(at).toISOString() };
  writeFileSync(join(home, "beats", `${agent}.json`), JSON.stringify(beat));
}

async function report(machine: Machine, ...args: string[]): Promise<Report & { status: number | null }> {
  const { status, stdout, stderr } = await machine.doctor("--json", "--min-free", "1B", ...args);
  expect(stderr).toBe("");
  const found = JSON.parse(stdout) as Report;
  // No check finds worse than the docs say of it.
  for (const { check, level } of found.findings) {
    const worst = CHECKS.find(({ name }) => name === check)?.worst ?? "ok";
    expect(LEVELS.indexOf(level), check).toBeLessThanOrEqual(LEVELS.indexOf(worst));
  }
  return { ...found, status };
}

/** The one error that was planted; every other check must not be misled by it into another. */
async function theError(machine: Machine, ...args: string[]): Promise<ReportedFinding> {
  const { findings, worst, status } = await report(machine, ...args);
  const errors = findings.filter(({ level }) => level === "error");
  expect(errors).toHaveLength(1);
  expect([worst, status]).toEqual(["error", 2]);
  const [error] = errors;
  if (error === undefined) throw new Error("no error was found");
  // Every error says what to do, and ends with a command.
  expect(error.todo).toMatch(/^[A-Z].*: \S/);
  return error;
}

/** Every file of a folder with its mode and content. */
function everyByte(folder: string): Record<string, string> {
  return Object.fromEntries(
    [".", ...readdirSync(folder, { recursive: true, encoding: "utf8" })].sort().map((name) => {
      const stat = lstatSync(join(folder, name));
      const content = stat.isFile() ? readFileSync(join(folder, name)) : "";
      return [name, `${stat.mode.toString(8)} ${createHash("sha256").update(content).digest("hex")}`];
    }),
  );
}

describe("rollcall doctor finds planted faults", () => {
  it("A1: a crontab line whose script is not there", async () => {
    const here = machine();
    prepare(here);
    const good = executable(join(here.user, "good.sh"), "#!/bin/sh\n");
    here.setCrontab(
      `MAILTO=me\n0 5 * * * /no/business/of/ours\n*/15 * * * * cd '${here.user}' && ./good.sh && A=1 /bin/sh '${here.user}/heartbeat.sh' >> '${good}.log' 2>&1\n`,
    );
    expect(await theError(here)).toMatchObject({
      check: "crontab",
      says: `your crontab, line 3: ${here.user}/heartbeat.sh does not exist`,
      todo: "Put the file back, or correct the line: crontab -e",
    });
    executable(join(here.user, "heartbeat.sh"), "#!/bin/sh\n");
    expect((await report(here)).worst).not.toBe("error");
  });

  it("a unit with a wrong path of node", async () => {
    const here = machine();
    prepare(here);
    const node = "/opt/node-of-yesterday/bin/node";
    const file = here.addUnit(
      "rollcall.service",
      `[Service]\nType=notify\nExecStart=${node} "${bin}" up\nExecReload=/bin/kill -HUP $MAINPID\n`,
    );
    expect(await theError(here)).toMatchObject({
      check: "units",
      says: `${file}, ExecStart: ${node} does not exist`,
      todo: "Install it again with the current paths: rollcall install systemd --user",
    });
  });

  it("a beat of the watcher that is older than its dead-after", async () => {
    const here = machine();
    prepare(here);
    writeLatestBeat(here, `rollcall@${host}`, Date.now() - HOUR);
    const { check, says } = await theError(here);
    expect([check, says]).toEqual(["beat", expect.stringContaining(`rollcall@${host} is dead`)]);
  });

  it("a home that cannot be written", async () => {
    const here = machine();
    prepare(here);
    // Modes do not bind root; a file where a folder should be binds everybody.
    rmSync(join(here.home, "spool"), { recursive: true });
    writeFileSync(join(here.home, "spool"), "");
    const { check, says } = await theError(here);
    expect([check, says]).toEqual(["home", expect.stringContaining(`cannot write ${here.home}/spool: `)]);
  });

  it("a bad config, every problem of it", async () => {
    const here = machine("listen: 127.0.0.1:7766\nagents:\n  - id: a/b\n  - id: c\n    evry: 5m\n");
    prepare(here);
    const { findings, status } = await report(here);
    const errors = findings.filter(({ level }) => level === "error");
    expect(status).toBe(2);
    expect(errors.map(({ check }) => check)).toEqual(["config", "config"]);
    expect(errors[0]?.says).toContain(`${here.home}/rollcall.yaml:3: agents[0].id`);
    expect(errors[1]?.says).toContain('did you mean "every"?');
  });

  it("a database of a newer version", async () => {
    const here = machine();
    prepare(here);
    await makeDatabase(here);
    const db = new DatabaseSync(join(here.home, "rollcall.db"));
    db.exec("PRAGMA user_version = 99");
    db.close();
    const { check, says, todo } = await theError(here);
    expect([check, says]).toEqual(["database", expect.stringContaining("schema version 99")]);
    expect(todo).toContain("Update Rollcall");
  });

  it("hosts of a hub whose clock, backlog or version is wrong, and that lost facts", async () => {
    const here = machine();
    prepare(here);
    const store = await openSqlite(join(here.home, "rollcall.db"));
    const hosts: readonly KnownHost[] = [
      knownHost("well", {}),
      knownHost("slow", { offset: { used: 61_000, samples: [] } }),
      knownHost("fast", { offset: { used: -6 * HOUR, samples: [] } }),
      knownHost("busy", { backlog: 501, dropped: 3 }),
      knownHost("old", { version: "0.99.0" }),
    ];
    await store.commit({ records: hosts.map(recordOf) });
    await store.close();
    chmodSync(join(here.home, "rollcall.db"), 0o600);
    const { findings } = await report(here);
    const said = findings
      .filter(({ check }) => check === "hub")
      .map(({ level, says }) => `${level}: ${says}`);
    expect(said.sort()).toEqual([
      "warning: 501 facts wait on host busy",
      "warning: host busy had to drop 3 facts while it was out of contact",
      expect.stringMatching(/^warning: host old runs version 0\.99\.0; this hub \(.*\) accepts/),
      "warning: the clock of host fast is 6 h fast",
      "warning: the clock of host slow is 1 min 1 s slow",
    ]);
  });

  it("a hub that is out of reach, does not know the token, or has another time", async () => {
    let [status, date] = [200, new Date()];
    const server = createServer((_, response) => {
      response.sendDate = false;
      response.writeHead(status, { date: date.toUTCString() }).end("{}");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const here = machine();
    prepare(here);
    await makeDatabase(here);
    writeFileSync(join(here.home, "hub.json"), JSON.stringify({ url, host: "web1" }), { mode: 0o600 });
    writeFileSync(join(here.home, "hub.token"), "rc_a-token\n", { mode: 0o600 });
    const said = async () =>
      (await report(here)).findings
        .filter(({ check }) => check === "hub")
        .map(({ level, says }) => `${level}: ${says}`);
    expect(await said()).toEqual([`ok: reports to ${url}`]);
    date = new Date(Date.now() - 2 * HOUR);
    expect(await said()).toEqual([
      `ok: reports to ${url}`,
      expect.stringMatching(/^warning: this machine's clock is (2 h|1 h 59 min) ahead of the hub's$/),
    ]);
    status = 401;
    expect(await theError(here)).toMatchObject({
      check: "hub",
      says: expect.stringContaining("does not know this host's token"),
      todo: expect.stringContaining("rollcall join URL CODE"),
    });
    await new Promise((done) => server.close(done));
    expect(await said()).toEqual([expect.stringContaining(`warning: the hub ${url} does not answer`)]);
  });

  it("agents that cannot be checked, because what the config names is not there", async () => {
    const here = machine();
    prepare(here);
    const store = await openSqlite(join(here.home, "rollcall.db"));
    const problem = "tmux session nosuch does not exist";
    const found = (id: string, at: number) => {
      const agent = { id, origin: "added", addedAt: at, signals: { tmux: { session: "nosuch" } } } as const;
      const { entry } = newPlace(agent);
      const degraded = { kind: "degraded", signal: "tmux", at, problem } as const;
      const verdict = { ...entry.standing.verdict, state: "unknown", reason: "not-watched" } as const;
      return { agent, entry: { ...entry, standing: { verdict, since: at }, observations: [degraded] } };
    };
    const both = [found("ghost", Date.now() - HOUR), found("young", Date.now())];
    await store.commit({ agents: both.map(({ agent }) => agent), entries: both.map(({ entry }) => entry) });
    await store.close();
    chmodSync(join(here.home, "rollcall.db"), 0o600);
    const { findings } = await report(here);
    const said = findings.filter(({ check }) => check === "agents");
    expect(said).toMatchObject([
      { level: "warning", says: expect.stringContaining(`ghost: cannot be checked: ${problem}, for 1 h`) },
    ]);
  });

  it("a budget that nothing can measure", async () => {
    const here = machine();
    prepare(here);
    const agents = [
      "  - { id: blind, budget: { day: 5 USD } }",
      "  - { id: seen, budget: { tokens: 1M }, transcript: { client: claude-code, cwd: /srv/app } }",
      "  - { id: free, every: 15m }",
    ];
    writeFileSync(join(here.home, "rollcall.yaml"), `agents:\n${agents.join("\n")}\n`);
    const { findings } = await report(here);
    expect(findings.filter(({ check }) => check === "budgets")).toMatchObject([
      { level: "warning", says: expect.stringContaining("the budget of blind cannot be measured") },
    ]);
  });

  it("a database in which a number or a state has been spoilt", async () => {
    const here = machine();
    prepare(here);
    const store = await openSqlite(join(here.home, "rollcall.db"));
    const { entry } = newPlace({ id: "allegro", origin: "added", addedAt: 1 });
    await store.commit({ agents: [{ id: "allegro", origin: "added", addedAt: 1 }], entries: [entry] });
    await store.close();
    chmodSync(join(here.home, "rollcall.db"), 0o600);
    const spoil = async (sql: string) => {
      const db = new DatabaseSync(join(here.home, "rollcall.db"));
      db.exec(`UPDATE roll SET ${sql}`);
      db.close();
    };
    await spoil(`observations = '[{"kind":"present","signal":"tmux","at":null}]'`);
    expect(await theError(here)).toMatchObject({
      check: "database",
      says: expect.stringContaining('the entry of "allegro" has observations.at null'),
    });
    await spoil("observations = '[]', basis = 'x'");
    const { findings } = await report(here);
    expect(findings.find(({ check }) => check === "database")).toMatchObject({
      level: "warning",
      says: expect.stringContaining("A watcher starts all the same"),
    });
    await spoil("basis = 1, state = 'well'");
    expect((await theError(here)).says).toContain('unknown state "well"');
  });

  it("a daemon that is dead and left its PID file", async () => {
    const here = machine();
    const { child, end } = await daemon(here.home);
    await end("SIGKILL");
    expect(await theError(here)).toMatchObject({
      check: "daemon",
      says: expect.stringContaining(`the watcher is dead: process ${child.pid},`),
      todo: "Start it: rollcall daemon start",
      fixable: true,
    });
  });

  it("a clock that is an hour off against the last beat", async () => {
    const here = machine();
    prepare(here);
    writeLatestBeat(here, "allegro", Date.now() + HOUR);
    const { check, says } = await theError(here);
    expect([check, says]).toEqual(["clock", expect.stringMatching(/beat, of allegro, is .* in the future/)]);
  });

  it("a disk that is nearly full, by the limit that was given", async () => {
    const here = machine();
    prepare(here);
    const { check, says } = await theError(here, "--min-free", "1000000TB");
    expect([check, says]).toEqual(["disk", expect.stringContaining("under the limit of 1000000 TB")]);
  });
});

describe("rollcall doctor finds more", () => {
  it("a PID file whose pid now belongs to another program", async () => {
    const here = machine();
    const { end } = await daemon(here.home);
    await end("SIGKILL");
    const file = join(here.home, "rollcall.pid");
    const [, rest] = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, `${process.pid}\n${rest}\n`);
    const { check, says } = await theError(here);
    expect([check, says]).toEqual([
      "daemon",
      expect.stringContaining(`is gone, and process ${process.pid} is now`),
    ]);
  });

  it("a damaged database", async () => {
    const here = machine();
    prepare(here);
    writeFileSync(join(here.home, "rollcall.db"), Buffer.alloc(8192, "not a database"));
    expect((await theError(here)).check).toBe("database");
  });

  it("a file in cron.d that names a missing program, one that cron ignores, and that no cron runs", async () => {
    const here = machine();
    prepare(here);
    const folder = join(here.system, "etc/cron.d");
    writeFileSync(join(folder, "heartbeat"), "PATH=/bin\n* * * * * root no-such-heartbeat\n");
    writeFileSync(join(folder, "rollcall.conf"), "@hourly root true rollcall");
    writeFileSync(join(here.system, "proc/1/comm"), "init\n");
    const { findings } = await report(here);
    const said = findings
      .filter(({ check }) => check === "crontab")
      .map(({ level, says }) => `${level}: ${says}`);
    expect(said).toEqual([
      `error: ${folder}/heartbeat, line 2: there is no program "no-such-heartbeat" in its PATH (/bin)`,
      expect.stringContaining(`error: ${folder}/rollcall.conf: cron ignores files`),
      expect.stringContaining(`error: ${folder}/rollcall.conf: its last line, 1, does not end`),
      "warning: cron is not running on this machine, so the crontab lines do not run",
    ]);
  });

  it("a script whose interpreter is in the user's PATH, but not in cron's", async () => {
    const here = machine();
    prepare(here);
    const script = executable(join(here.user, "heartbeat"), "#!/usr/bin/env crontab-of-the-test\n");
    here.setCrontab(`* * * * * ~/heartbeat\n`);
    expect((await theError(here)).says).toBe(
      `your crontab, line 1: ${script} needs "crontab-of-the-test", which is not in its PATH (/usr/bin:/bin)`,
    );
  });

  it("a timer without its service, a drop-in with a missing folder, a unit that is a link to nowhere", async () => {
    const here = machine();
    prepare(here);
    const timer = here.addUnit("heartbeat.timer", "[Timer]\nOnCalendar=hourly\n");
    const unit = here.addUnit("bot.service", "[Service]\nExecStart=/bin/true\n");
    const link = here.addUnit("rollcall-bot.service", "");
    rmSync(link);
    symlinkSync("/no/such/unit", link);
    mkdirSync(`${unit}.d`);
    writeFileSync(
      join(`${unit}.d`, "a.conf"),
      "[Service]\nWorkingDirectory=%h/rollcall\nExecStart=\nExecStart=/bin/sh -c 'exec \"%h/gone\"'\n",
    );
    const { findings } = await report(here);
    const said = findings
      .filter(({ check, level }) => check === "units" && level === "error")
      .map(({ says }) => says);
    expect(said).toEqual([
      `${unit}, WorkingDirectory: the folder ${here.user}/rollcall does not exist`,
      `${unit}, ExecStart: ${here.user}/gone does not exist`,
      `${timer}: it starts heartbeat.service, but there is no such unit`,
      `${link}: it is a link to a file that does not exist`,
    ]);
    expect(findings).toContainEqual(expect.objectContaining({ check: "linger", level: "warning" }));
  });

  it("files that lie aside, and beats that nobody takes up", async () => {
    const here = machine();
    prepare(here);
    mkdirSync(join(here.home, "spool/bad"));
    writeFileSync(join(here.home, "spool/bad/x.json"), "{");
    writeFileSync(join(here.home, "spool/y.json"), JSON.stringify({ agent: "allegro" }));
    const then = (Date.now() - HOUR) / 1000;
    utimesSync(join(here.home, "spool/y.json"), then, then);
    writeFileSync(join(here.home, "beats/bad name"), "");
    const { findings, status } = await report(here);
    const said = findings
      .filter(({ check }) => check === "spool")
      .map(({ level, says }) => `${level}: ${says}`);
    expect(said).toEqual([
      `warning: 1 spooled file is not a beat; see ${here.home}/spool/bad: x.json`,
      expect.stringMatching(
        /^warning: 1 beat is waiting in the spool, the oldest for 1 h.*: no watcher runs to read them$/,
      ),
      expect.stringMatching(
        /^warning: '[^']*\/beats\/bad name' names no agent: expected an agent id: a letter/,
      ),
    ]);
    expect(status).toBe(1);
  });
});

describe("rollcall doctor", () => {
  it("says that all is well of a home with a running daemon and everything installed", async () => {
    const here = machine("agents:\n  - id: allegro\n");
    const { url } = await daemon(here.home);
    const beat = await runToEnd(process.execPath, [bin, "beat", `rollcall@${host}`], {
      ROLLCALL_HOME: here.home,
    });
    expect(beat.status).toBe(0);
    await until(
      () => readdirSync(join(here.home, "spool")),
      (names) => names.length === 0,
    );
    const agent = executable(join(here.user, "my agent.sh"), "#!/bin/sh\n");
    here.setCrontab(
      `# >>> rollcall >>>\nPATH=/usr/bin:/bin\n*/5 * * * * '${process.execPath}' '${bin}' daemon ensure >> '${here.home}/logs/cron.log' 2>&1\n*/15 * * * * '${process.execPath}' '${bin}' run allegro -- '${agent}' \\%\n# <<< rollcall <<<\n`,
    );
    here.addUnit(
      "rollcall.service",
      `[Service]\nExecStart="${process.execPath}" "${bin}" up\nWorkingDirectory=%h\n`,
    );
    mkdirSync(join(here.system, "var/lib/systemd/linger"), { recursive: true });
    writeFileSync(join(here.system, "var/lib/systemd/linger", userInfo().username), "");
    const { findings, worst, status } = await report(here);
    expect(findings.filter(({ level }) => level !== "ok")).toEqual([]);
    expect([worst, status]).toEqual(["ok", 0]);
    expect(findings.map(({ check }) => check)).toEqual(CHECKS.map(({ name }) => name));
    const { stdout } = await here.doctor("--min-free", "1B");
    expect(stdout).toContain(`answers at ${url}`);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("All is well");
  });

  it("does not take somebody else's heartbeat for an installed watcher", async () => {
    const here = machine();
    prepare(here);
    here.setCrontab("* * * * * true heartbeat\n");
    const { findings } = await report(here);
    expect(findings).toContainEqual(expect.objectContaining({ check: "installed", level: "note" }));
    expect(findings).toContainEqual(expect.objectContaining({ check: "crontab", level: "ok" }));
  });

  it("has only notes, and ends with 0, where a daemon runs and nothing is installed", async () => {
    const here = machine();
    await daemon(here.home);
    const { findings, worst, status } = await report(here);
    expect(findings.filter(({ level }) => level !== "ok").map(({ check, level }) => [check, level])).toEqual([
      ["installed", "note"],
    ]);
    expect([worst, status]).toEqual(["note", 0]);
  });

  it("without --fix leaves every byte as it was, whatever it finds", async () => {
    const here = machine("listen: nowhere\n");
    prepare(here);
    await makeDatabase(here);
    writeLatestBeat(here, "allegro", Date.now() + HOUR);
    writeFileSync(join(here.home, "spool/y.json"), "{}");
    writeFileSync(join(here.home, "rollcall.pid"), '4000000\n{"startTime":"1","bootId":"b"}\n');
    rmSync(join(here.home, "logs"), { recursive: true });
    chmodSync(here.home, 0o755);
    const before = everyByte(here.home);
    expect((await report(here)).status).toBe(2);
    expect(everyByte(here.home)).toEqual(before);
  });

  it("without --fix leaves what a killed daemon left as it was", async () => {
    const here = machine();
    await (await daemon(here.home)).end("SIGKILL");
    // SQLite's index over the log of a killed writer is built anew by whoever reads first; it holds no data.
    const bytes = () => ({ ...everyByte(here.home), "rollcall.db-shm": "" });
    const before = bytes();
    expect((await report(here)).status).toBe(2);
    expect(bytes()).toEqual(before);
  });

  it("does not create a home that is not there", async () => {
    const here = machine();
    rmSync(here.home, { recursive: true });
    const { findings } = await report(here);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: "home", level: "warning", fixable: true }),
    );
    expect(existsSync(here.home)).toBe(false);
  });

  it("with --fix mends what is safe, says so, and reports how things are then", async () => {
    const here = machine();
    await (await daemon(here.home)).end("SIGKILL");
    rmSync(join(here.home, "logs"), { recursive: true });
    chmodSync(here.home, 0o755);
    const { mended, findings, worst } = await report(here, "--fix");
    expect(mended).toEqual([
      { check: "home", did: `created ${here.home}/logs` },
      { check: "home", did: `closed ${here.home} to other users` },
      { check: "daemon", did: `recorded the crash and removed the stale PID file ${here.home}/rollcall.pid` },
    ]);
    expect(statSync(join(here.home, "logs")).mode & 0o777).toBe(0o700);
    expect(statSync(here.home).mode & 0o007).toBe(0);
    expect(existsSync(join(here.home, "rollcall.pid"))).toBe(false);
    expect(findings).toContainEqual(expect.objectContaining({ check: "daemon", level: "warning" }));
    expect(worst).toBe("warning");
    expect((await report(here, "--fix")).mended).toEqual([]);
  });

  it("with --fix never takes the PID file of a daemon that lives", async () => {
    const here = machine();
    await daemon(here.home);
    const before = readFileSync(join(here.home, "rollcall.pid"), "utf8");
    expect((await report(here, "--fix")).mended).toEqual([]);
    expect(readFileSync(join(here.home, "rollcall.pid"), "utf8")).toBe(before);
  });

  it("refuses a limit that it cannot read, and shows help with an example", async () => {
    const here = machine();
    const refused = await here.doctor("--min-free", "much");
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("500MB or 5%")]);
    expect((await here.doctor("--help")).stdout).toContain("$ rollcall doctor");
  });

  it("has every check in docs/doctor.md, as the code has it", () => {
    const listed = [
      ...readFileSync(`${root}docs/doctor.md`, "utf8").matchAll(
        /^\| `([a-z-]+)` \| (.+) \| `([a-z]+)` \|$/gm,
      ),
    ].map(([, name, looksAt, worst]) => ({ name, looksAt, worst: worst as Level }));
    expect(listed).toEqual(CHECKS.map(({ name, looksAt, worst }) => ({ name, looksAt, worst })));
  });
});
