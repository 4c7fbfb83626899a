import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rollcall, root } from "../product.ts";
import { FakeWatcher } from "./fake-watcher.ts";

/** Something that serves the page and its API. The same specs run on each. */
export interface Stage {
  readonly url: string;
  readonly token: string;
  /** An address that signs a browser in, if this stage makes one. */
  readonly signIn?: () => Promise<string>;
  readonly close: () => Promise<void>;
}

const page = join(root, "dist", "ui");

export async function fakeStage(
  size = 24,
  is: "alone" | "hub" = "alone",
): Promise<Stage & { watcher: FakeWatcher }> {
  const watcher = new FakeWatcher(page, size, is);
  return { watcher, url: await watcher.listen(), token: watcher.token, close: () => watcher.stop() };
}

/** Whether the daemon of this checkout serves the page itself. */
export const daemonServesPage = existsSync(join(root, "src", "web", "static.ts"));

/** An address of this machine that counts as another machine's: what asks there is not on loopback. */
export const otherAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

/**
 * `rollcall up` in a home of its own, on a free port, with files that are there before. At another address than
 * loopback a token must have been made first: then that one is the stage's.
 */
export async function realStage(
  files: Readonly<Record<string, string>> = {},
  address = "127.0.0.1",
  flags: readonly string[] = [],
): Promise<Stage & { readonly home: string }> {
  const home = mkdtempSync(join(tmpdir(), "rollcall-page-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const env = { ...process.env, ROLLCALL_HOME: home, NO_COLOR: "1" };
  const made =
    address === "127.0.0.1"
      ? undefined
      : execFileSync(process.execPath, [rollcall, "token", "create", "--scope", "admin"], { env }).toString();
  const child = spawn(process.execPath, [rollcall, "up", "--listen", `${address}:0`, ...flags], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const gone = new Promise<number | null>((done) => child.once("exit", done));
  const url = await new Promise<string>((done, failed) => {
    let said = "";
    const listen = (chunk: unknown) => {
      said += String(chunk);
      const found = /listens at (http:\S+)/.exec(said)?.[1];
      if (found !== undefined) done(found);
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    void gone.then((status) => failed(new Error(`the daemon ended with ${status}: ${said}`)));
  });
  const token = (made ?? readFileSync(join(home, "token"), "utf8")).trim();
  return {
    home,
    url,
    token,
    signIn: () => signInAt(url, token),
    close: async () => {
      child.kill("SIGTERM");
      await gone;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** `rollcall demo`: a living fleet with panes, questions, crashes and recoveries. */
export async function demoStage(): Promise<Stage & { readonly home: string }> {
  const env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: "1" };
  // Nothing opens a browser of this machine.
  delete env.DISPLAY;
  delete env.WAYLAND_DISPLAY;
  const child = spawn(process.execPath, [rollcall, "demo"], { env, stdio: ["ignore", "pipe", "pipe"] });
  const gone = new Promise<number | null>((done) => child.once("exit", done));
  const [url, home] = await new Promise<[string, string]>((done, failed) => {
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += String(chunk);
      const [, at = "", folder = ""] = /agents at (http:\S+)\s+home (\S+)/.exec(said) ?? [];
      if (folder !== "") done([at, folder]);
    });
    void gone.then((status) => failed(new Error(`the demo ended with ${status}: ${said}`)));
  });
  return {
    ...{ url, home, token: readFileSync(join(home, "token"), "utf8").trim() },
    signIn: () => signInAt(url, readFileSync(join(home, "token"), "utf8").trim()),
    close: async () => {
      child.kill("SIGINT");
      await gone;
    },
  };
}

/** An address that signs a browser in, once. */
async function signInAt(url: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api/v1/session/codes`, { method: "POST", headers });
  return ((await answer.json()) as { url: string }).url;
}

/** Sends a beat, or several, as agents would. */
export async function beat(stage: Stage, body: object): Promise<void> {
  const answer = await fetch(`${stage.url}/api/v1/beats`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${stage.token}` },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`a beat was answered with ${answer.status}: ${await answer.text()}`);
}
