import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { removeFolder } from "./remove-folder.ts";

export const root = new URL("..", import.meta.url).pathname;
export const rollcall = join(root, "bin/rollcall.js");

export interface Done {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The homes of this test, to find the token of the watcher behind an address. */
const homes = new Set<string>();

/** A home of the test's own, removed when the test ends. */
export function temporaryHome(config?: string): string {
  const home = mkdtempSync(join(tmpdir(), "rollcall-test-"));
  homes.add(home);
  onTestFinished(() => removeFolder(home));
  if (config !== undefined) writeFileSync(join(home, "rollcall.yaml"), config);
  return home;
}

/** Runs a command of the product to its end, as a person would. */
export function cli(home: string, ...args: string[]): Promise<Done> {
  return runToEnd(process.execPath, [rollcall, ...args], { ROLLCALL_HOME: home });
}

export function runToEnd(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Done> {
  return new Promise((done, failed) => {
    const child = spawn(command, args, {
      env: { ...process.env, NO_COLOR: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => {
      stdout += String(chunk);
    });
    child.stderr.on("data", (chunk) => {
      stderr += String(chunk);
    });
    child.on("error", failed);
    child.on("close", (status) => done({ status, stdout, stderr }));
  });
}

export interface RunningDaemon {
  readonly child: ChildProcess;
  readonly url: string;
  /** Everything that it has said so far. */
  readonly said: () => string;
  /** Ends it by a signal and waits until it is gone. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
}

/** `rollcall up` on a free port, ready, as this user or as another. It is killed when the test ends, if it still runs. */
export function daemon(
  home: string,
  env: Record<string, string> = {},
  user: { uid?: number; gid?: number } = {},
  more: readonly string[] = [],
  program = rollcall,
): Promise<RunningDaemon> {
  homes.add(home);
  const child = spawn(process.execPath, [program, "up", "--listen", "127.0.0.1:0", ...more], {
    ...user,
    env: { ...process.env, ROLLCALL_HOME: home, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const gone = new Promise<number | null>((done) => child.once("exit", done));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await gone;
  });
  let said = "";
  return new Promise((done, failed) => {
    const listen = (chunk: unknown) => {
      said += String(chunk);
      const url = /listens at (http:\S+)/.exec(said)?.[1];
      if (url === undefined) return;
      done({
        child,
        url,
        said: () => said,
        end: (signal) => {
          child.kill(signal);
          return gone;
        },
      });
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    void gone.then((status) => failed(new Error(`the daemon ended with ${status}: ${said}`)));
  });
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly json: () => Record<string, unknown>;
}

/** The token of the home whose watcher listens at an address. */
function tokenFor(url: string): string | undefined {
  const { origin } = new URL(url);
  for (const home of homes) {
    try {
      if (readFileSync(join(home, "rollcall.pid"), "utf8").includes(`"${origin}"`))
        return readFileSync(join(home, "token"), "utf8").trim();
    } catch {
      // No watcher has run in this one yet, or it is gone.
    }
  }
  return undefined;
}

/** What reads needs a token, so that it is sent along; what beats is sent as it is. */
function readersHeaders(url: string, method: string): Record<string, string> {
  const token =
    method === "GET" && /^\/(api\/|metrics)/.test(new URL(url).pathname) ? tokenFor(url) : undefined;
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** One HTTP request, with any header that a test wants to forge. Reading sends the home's token unless told otherwise. */
export function http(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Answer> {
  const { method = "GET", headers = readersHeaders(url, method) } = options;
  return new Promise((done, failed) => {
    const sent = request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const body = Buffer.concat(chunks).toString("utf8");
        done({
          status: response.statusCode ?? 0,
          body,
          json: () => JSON.parse(body) as Record<string, unknown>,
        });
      });
      response.on("error", failed);
    });
    sent.on("error", failed);
    sent.end(options.body);
  });
}

export interface StatusJson {
  readonly watcher: Record<string, unknown>;
  readonly agents: readonly (Record<string, unknown> & { id: string; state: string; why: string })[];
}

/** What the API says of one agent, or undefined if it does not know it. */
export async function agentOf(url: string, id: string): Promise<StatusJson["agents"][number] | undefined> {
  const answer = await http(`${url}/api/v1/agents/${id}`);
  return answer.status === 200 ? (JSON.parse(answer.body) as StatusJson).agents[0] : undefined;
}

/** Asks again until the answer is there, less and less often: what takes long must not keep the machine busy meanwhile. */
export async function until<T>(ask: () => Promise<T> | T, isThere: (answer: T) => boolean): Promise<T> {
  for (let pause = 20; ; pause = Math.min(250, pause * 1.3)) {
    const answer = await ask();
    if (isThere(answer)) return answer;
    await new Promise((done) => setTimeout(done, pause));
  }
}
