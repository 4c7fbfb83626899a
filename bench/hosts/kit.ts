import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { askHttp } from "../../src/system/http.ts";

/** The agents of each host. */
export const AGENTS = 20;

const script = join(process.cwd(), "bin/rollcall.js");

export function newHome(config: string): string {
  const home = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  writeFileSync(join(home, "rollcall.yaml"), config);
  return home;
}

export function removed(home: string): void {
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** Not synchronously: what it asks may go through this process. */
export async function rollcall(home: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, ROLLCALL_HOME: home };
  return (await promisify(execFile)(process.execPath, [script, ...args], { env })).stdout;
}

export async function invited(home: string, name: string, ...more: string[]): Promise<{ code: string }> {
  return JSON.parse(await rollcall(home, "hosts", "invite", name, ...more, "--json")) as { code: string };
}

export interface Watching {
  readonly child: ChildProcess;
  readonly url: string;
}

export async function started(home: string, port = "0"): Promise<Watching> {
  const child = spawn(process.execPath, [script, "up", "--home", home, "--listen", `127.0.0.1:${port}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url !== undefined) return { child, url };
  }
  throw new Error("the watcher did not start");
}

/** Kills a watcher and waits until it is gone. */
export async function killed({ child }: Watching): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once("exit", done));
  child.kill("SIGKILL");
  await gone;
}

export interface Wire {
  readonly url: string;
  /** So far, both ways: all bytes, and those of bodies by what the headers say. */
  count(): { readonly bytes: number; readonly bodies: number };
  close(): void;
}

/** A way to the hub that counts every byte. */
export async function counted(target: string): Promise<Wire> {
  let [bytes, bodies] = [0, 0];
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    for (const [, length] of chunk.toString("latin1").matchAll(/^content-length: (\d+)/gim))
      bodies += Number(length);
  };
  const { hostname, port } = new URL(target);
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.on("data", count).on("error", () => far.destroy());
    far.on("data", count).on("error", () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", 1024, done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => ({ bytes, bodies }),
    close: () => server.close(),
  };
}

/** The share of one core that a process takes over so many seconds. */
export async function cpuOver({ child }: Watching, seconds: number): Promise<number> {
  const used = () => {
    const fields = (readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1] ?? "").split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  };
  const [before, began] = [used(), performance.now()];
  await sleep(seconds * 1000);
  return ((used() - before) * 1000) / (performance.now() - began);
}

export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(100);
}

export async function post(url: string, body: unknown): Promise<Readonly<Record<string, unknown>>> {
  const answer = await askHttp({
    ...{ url, method: "POST", most: 1 << 20, body: JSON.stringify(body) },
    headers: { "content-type": "application/json" },
  });
  if (!("status" in answer) || answer.status !== 200)
    throw new Error(`${url} answered ${JSON.stringify(answer)}`);
  return JSON.parse(answer.body.toString("utf8")) as Record<string, unknown>;
}
