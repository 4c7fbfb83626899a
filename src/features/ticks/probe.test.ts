import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { incarnationOf } from "../../system/proc.ts";
import { probe } from "./probe.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "rollcall-probe-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const scene = { agent: "allegro", home: "/nowhere", env: process.env };
const timeout = 5000;

it.each([
  ["a command that ends with 0", { command: "true" }, { ok: true }],
  ["a command that fails", { command: "exit 3" }, { ok: false, why: "the command ended with 3" }],
  [
    "a command that is ended",
    { command: "kill -9 $$" },
    { ok: false, why: "the command was ended by SIGKILL" },
  ],
  [
    "a command that is not there",
    { command: "no-such-program" },
    { ok: false, why: "the command ended with 127" },
  ],
  [
    "a command that knows the agent",
    { command: '[ "$ROLLCALL_AGENT $ROLLCALL_AGENT_HOME" = "allegro /nowhere" ]' },
    { ok: true },
  ],
  ["a file that is not there", { file: "{agent}.txt" }, { ok: false, why: "the file does not exist" }],
  ["a PID file that is not there", { pidFile: "x.pid" }, { ok: false, why: "there is no PID file" }],
])("%s", async (_, settings, result) => {
  expect(await probe({ ...settings, timeout }, scene)).toEqual(result);
});

it("ends a command that takes too long, and all that it started", async () => {
  const home = folder();
  const command = `sleep 1000 & echo $! > ${home}/child; wait`;
  const result = await probe({ command, timeout: 500 }, scene);
  expect(result).toEqual({ ok: false, why: "the command did not end within under 1 s" });
  const child = Number(readFileSync(join(home, "child"), "utf8"));
  await expect.poll(() => incarnationOf(child)).toBeUndefined();
});

it("asks an address, and says how it answered, not what", async () => {
  const server = createServer((request, response) => {
    if (request.url === "/hang") return;
    response.writeHead(request.url === "/allegro" ? 204 : 503).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  expect(await probe({ url: `${url}/{agent}`, timeout }, scene)).toEqual({ ok: true });
  expect(await probe({ url: `${url}/x?token=s3cr3t`, timeout }, scene)).toEqual({
    ok: false,
    why: "the address answered 503",
  });
  expect(await probe({ url: `${url}/hang`, timeout: 200 }, scene)).toMatchObject({
    ok: false,
    why: expect.stringContaining("no answer within"),
  });
  server.closeAllConnections();
  server.close();
  await once(server, "close");
  expect(await probe({ url, timeout }, scene)).toMatchObject({
    ok: false,
    why: expect.stringContaining("no answer ("),
  });
});

it("knows a process that lives from one that is gone, and from one that has its number now", async () => {
  const home = folder();
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  const look = (text: string) => {
    writeFileSync(join(home, "allegro.pid"), text);
    return probe({ pidFile: "{agent}.pid", timeout }, { ...scene, home });
  };
  const life = incarnationOf(child.pid ?? 0);
  expect(await look(`${child.pid}\n`)).toEqual({ ok: true });
  expect(await look(`${child.pid}\n${JSON.stringify(life)}\n`)).toEqual({ ok: true });
  const gone = { ok: false, why: "the process of the PID file is gone" };
  expect(await look(`${child.pid}\n${JSON.stringify({ ...life, startTime: "1" })}\n`)).toEqual(gone);
  expect(await look("rubbish")).toEqual({ ok: false, why: "the PID file names no process" });
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await look(`${child.pid}\n`)).toEqual(gone);
});
