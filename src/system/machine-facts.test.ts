import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openProbe } from "../signals/kit/probe.ts";
import { madeUpProc, until } from "../signals/kit/signals.fixture.ts";
import type { Runner } from "./exec.ts";
import { openProc } from "./proc.ts";
import { parseConnections } from "./sockets.ts";
import { parseMode } from "./terminal-mode.ts";

const NOW = 1_000_000;
const line = (local: string, peer: string, pids: string, more: string) =>
  `0 0 ${local} ${peer} users:((${pids})) cubic rto:204 ${more}`;

test("tells when each connection last sent and received, and who holds it", () => {
  const text = [
    line("10.0.0.1:5000", "1.2.3.4:443", '"node",pid=7,fd=20', "bytes_received:99 lastsnd:4000 lastrcv:500"),
    line("10.0.0.1:5001", "1.2.3.4:443", '"a",pid=8,fd=1),("b",pid=9,fd=1', "lastsnd:100 lastrcv:100"),
    "nonsense",
  ].join("\n");
  expect(parseConnections(text, NOW)).toEqual([
    { pid: 7, local: "10.0.0.1:5000", peer: "1.2.3.4:443", sentAt: NOW - 4000, receivedAt: NOW - 500 },
    { pid: 8, local: "10.0.0.1:5001", peer: "1.2.3.4:443", sentAt: NOW - 100 },
    { pid: 9, local: "10.0.0.1:5001", peer: "1.2.3.4:443", sentAt: NOW - 100 },
  ]);
});

test("tells how a terminal takes input", () => {
  expect(parseMode("speed 38400 baud;\nisig icanon iexten echo echoe;")).toEqual({
    canonical: true,
    echo: true,
  });
  expect(parseMode("-icanon -echo")).toEqual({ canonical: false, echo: false });
  expect(parseMode("what?")).toBeUndefined();
});

test("asks for the connections of many agents once, and leaves out those inside of a family", async () => {
  const made = madeUpProc();
  made.put(7, { parent: 1 });
  made.put(8, { parent: 7, start: 99_000, name: "tool" });
  let asked = 0;
  const run: Runner = async () => {
    asked += 1;
    const stdout = [
      line("127.0.0.1:1", "127.0.0.1:2", '"a",pid=7,fd=1', "bytes_received:1 lastsnd:1 lastrcv:1"),
      line("127.0.0.1:2", "127.0.0.1:1", '"b",pid=8,fd=1', "bytes_received:1 lastsnd:1 lastrcv:1"),
      line("127.0.0.1:3", "1.2.3.4:443", '"a",pid=7,fd=2', "bytes_received:1 lastsnd:9000 lastrcv:700"),
    ].join("\n");
    return { how: "ended", status: 0, stdout, stderr: "" };
  };
  const probe = openProbe(openProc(made.root), run);
  const ask = () => probe({ pid: 7, now: NOW, wire: true });
  const isLinux = process.platform === "linux";
  const wire = isLinux ? { wire: { open: 1, sentAt: NOW - 9000, receivedAt: NOW - 700 } } : {};
  expect(await ask()).toEqual({ children: [{ name: "tool", since: NOW - 10_000 }], ...wire });
  await ask();
  expect(asked).toBe(isLinux ? 1 : 0);
  expect(await probe({ pid: 7, now: NOW + 60_000, wire: false })).not.toHaveProperty("wire");
});

test.runIf(existsSync("/proc/self/syscall") && existsSync("/usr/bin/tmux"))(
  "sees that a program in a real terminal waits for a line, and that it has a connection",
  async () => {
    const heard: Socket[] = [];
    const server = createServer((socket) => heard.push(socket.on("error", () => {})));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as { port: number };
    const name = `rollcall-facts-${process.pid}`;
    const tmux = (...args: string[]) => execFileSync("tmux", ["-L", name, ...args], { encoding: "utf8" });
    onTestFinished(() => {
      tmux("kill-server");
      for (const socket of heard) socket.destroy();
      server.close();
    });
    tmux(
      "new-session",
      "-d",
      `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}; echo hi >&3; read -r line <&3; read -r more'`,
    );
    const [pid, terminal] = tmux("list-panes", "-F", "#{pane_pid} #{pane_tty}").trim().split(" ");
    const probe = openProbe(openProc());
    const ask = () => probe({ pid: Number(pid), now: Date.now(), terminal: terminal ?? "", wire: true });
    await until(async () => {
      const { wire, terminal: mode } = await ask();
      return (
        mode?.isRead === false && (wire === undefined || (wire.open === 1 && wire.receivedAt === undefined))
      );
    });
    heard[0]?.write("go on\n");
    await until(async () => {
      const { wire, terminal: mode } = await ask();
      return mode?.canonical && mode.isRead && (wire === undefined || wire.receivedAt !== undefined);
    });
  },
);

test.runIf(existsSync("/proc/self/syscall") && existsSync("/usr/bin/tmux"))(
  "cannot tell whether a program that listens to several files at once waits for a line",
  async () => {
    const name = `rollcall-listens-${process.pid}`;
    const tmux = (...args: string[]) => execFileSync("tmux", ["-L", name, ...args], { encoding: "utf8" });
    onTestFinished(() => void tmux("kill-server"));
    const probe = openProbe(openProc());
    const modeOf = async (window: string) => {
      const of = ["list-panes", "-t", `=${window}:`, "-F", "#{pane_pid} #{pane_tty}"];
      const [pid, terminal = ""] = tmux(...of)
        .trim()
        .split(" ");
      return (await probe({ pid: Number(pid), now: Date.now(), terminal, wire: false })).terminal;
    };
    const node = (does: string) => `${process.execPath} -e "${does}"`;
    tmux("new-session", "-d", "-s", "asks", node("process.stdin.on('data', () => {})"));
    tmux("new-session", "-d", "-s", "works", node("setInterval(() => {}, 1000)"));
    // While it starts, neither listens.
    await until(async () => (await modeOf("asks"))?.isRead === undefined);
    await until(async () => (await modeOf("works"))?.isRead === false);
    expect(await modeOf("asks")).toEqual({ canonical: true, echo: true });
  },
);
