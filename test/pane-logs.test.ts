// Logs that tmux should write, and no longer does: what the watcher makes of them, and what the doctor says.
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { socketPathOf } from "../src/system/tmux-servers.ts";
import type { Report } from "../src/tools/doctor/examine.ts";
import { agentOf, cli, daemon, rollcall, runToEnd, temporaryHome, until } from "./product.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
const why = hasTmux ? "" : " (skipped: there is no tmux here)";
const dialog = "\x1b[2J\x1b[HRun this command?\r\n  npm test\r\n❯ 1. Yes\r\n  2. No, and say why (esc)\r\n";

let servers = 0;

/** A tmux server of the test's own, with a pane that writes what is typed into it, and a home whose agent names both. */
function pane(command = "cat") {
  servers += 1;
  const socket = `rollcall-logs-${process.pid}-${servers}`;
  const tmux = (...args: string[]) =>
    spawnSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { encoding: "utf8" }).stdout.trim();
  tmux("new-session", "-d", "-s", "agent", "-x", "120", "-y", "40", command);
  onTestFinished(() => void tmux("kill-server"));
  const home = temporaryHome();
  const log = join(home, "pane.log");
  const config = `livenessInterval: 200ms\nagents:\n  - { id: bot, tmux: { session: agent, socket: ${socket} }, log: { path: ${log} } }\n`;
  writeFileSync(join(home, "rollcall.yaml"), config);
  return { home, log, tmux, socket };
}

function age(file: string): void {
  const then = Date.now() / 1000 - 300;
  utimesSync(file, then, then);
}

async function findings(home: string, check: string, env: Record<string, string> = {}) {
  const done = await runToEnd(process.execPath, [rollcall, "doctor", "--json"], {
    ROLLCALL_HOME: home,
    ...env,
  });
  return (JSON.parse(done.stdout) as Report).findings.filter((finding) => finding.check === check);
}

describe.skipIf(!hasTmux)(`a log that its pane no longer feeds${why}`, () => {
  it("does not decide: its screen is an old one, and that of the pane counts", async () => {
    // As coding agents do, it takes keys: a terminal for lines that nobody reads waits for no person, whatever it shows.
    const { home, log } = pane("stty -icanon; while sleep 0.3; do date +%N; done");
    writeFileSync(log, dialog);
    age(log);
    const { url } = await daemon(home);
    await until(
      () => agentOf(url, "bot"),
      (bot) => bot?.state === "alive",
    );
    const explained = await cli(home, "explain", "bot");
    expect(explained.stdout).toContain(`the log ${log} has received nothing from its pane`);
    expect(explained.stdout).toContain("or the pane is no longer piped to it");
    // Fed again, it is read again. It stays fed, or on a busy machine it falls behind its pane before it is read twice.
    appendFileSync(log, dialog);
    await until(
      () => {
        appendFileSync(log, "\u001b[m");
        return agentOf(url, "bot");
      },
      (bot) => bot?.state === "waiting",
    );
  });

  it("is found by the doctor: its pane is not piped", async () => {
    const { home, log, tmux, socket } = pane("echo hello; cat");
    writeFileSync(log, "old\n");
    age(log);
    const [found, ...more] = await findings(home, "logs");
    expect(more).toEqual([]);
    expect(found?.level).toBe("warning");
    expect(found?.says).toMatch(
      /^bot: the log .*pane\.log is \d.* behind its pane: the pane is no longer piped to it$/,
    );
    const id = tmux("list-panes", "-F", "#{pane_id}");
    const path = socketPathOf({ socket }, process.env);
    expect(found?.todo).toBe(`Pipe it again: tmux -S ${path} pipe-pane -t ${id} 'exec cat >> ${log}'`);
    // What it says to do mends it.
    spawnSync("sh", ["-c", (found?.todo ?? "").replace("Pipe it again: ", "")]);
    tmux("send-keys", "-t", "agent", "more", "Enter");
    await until(
      () => statSync(log).size,
      (size) => size > 4,
    );
    expect(await findings(home, "logs")).toMatchObject([{ level: "ok" }]);
  });

  it("is not judged while its pane is not there, also if another server has one of its name", async () => {
    const other = pane();
    const home = temporaryHome(
      `agents:\n  - { id: bot, tmux: { session: agent }, log: { path: ${other.log} } }\n`,
    );
    const inside = other.tmux("display-message", "-p", "-t", "agent", "#{socket_path},#{pid},0");
    writeFileSync(other.log, "");
    age(other.log);
    // As in a pane of that other server; the default one is where nobody is.
    expect(await findings(home, "logs", { TMUX: inside, TMUX_TMPDIR: temporaryHome() })).toMatchObject([
      { level: "ok", says: expect.stringContaining("; 1 could not be compared") },
    ]);
  });

  it("is found by the doctor: it was rotated under its pipe", async () => {
    const { home, log, tmux } = pane();
    tmux("pipe-pane", "-t", "agent", `exec cat >> ${log}`);
    tmux("send-keys", "-t", "agent", "first", "Enter");
    await until(
      () => statSync(log, { throwIfNoEntry: false })?.size ?? 0,
      (size) => size > 0,
    );
    expect(await findings(home, "logs")).toMatchObject([
      { level: "ok", says: "1 log receives its pane's output" },
    ]);
    // However old it looks: the pipe still writes to this very file.
    age(log);
    expect(await findings(home, "logs")).toMatchObject([{ level: "ok" }]);
    renameSync(log, `${log}.1`);
    expect(await findings(home, "logs")).toMatchObject([
      { level: "warning", says: `bot: the log ${log} does not exist` },
    ]);
    writeFileSync(log, "");
    age(log);
    const [found] = await findings(home, "logs");
    expect(found?.says).toContain("the log was replaced, and the pipe still writes to the old file");
  });
});

describe("tmux itself", () => {
  it("is missed by the doctor only if an agent needs it", async () => {
    const programs = join(temporaryHome(), "bin");
    mkdirSync(programs);
    symlinkSync(process.execPath, join(programs, "node"));
    const needing = temporaryHome("agents:\n  - { id: bot, tmux: { session: work } }\n");
    expect(await findings(needing, "tmux", { PATH: programs })).toMatchObject([
      {
        level: "error",
        says: expect.stringContaining("tmux is not installed"),
        todo: expect.stringContaining("install tmux"),
      },
    ]);
    expect(await findings(temporaryHome(), "tmux", { PATH: programs })).toMatchObject([{ level: "ok" }]);
  });
});
