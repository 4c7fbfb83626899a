import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { type Installed, Unavailable } from "./installed.ts";

const USER = { username: "bench", password: "bench-1234-Bench" };
const STARTS_WITHIN = 90_000;

/** What we use of the client library that comes with Uptime Kuma. */
interface Socket {
  emit(event: string, ...args: unknown[]): void;
  on(event: string, call: (data: Record<string, unknown>) => void): void;
  disconnect(): void;
}

/** Uptime Kuma on SQLite, with one user, in a folder of its own. */
export class Kuma {
  readonly #folder: string;
  readonly #data: string;
  #url = "";
  #child: ChildProcess | undefined;

  constructor({ folder }: Installed, at: string) {
    this.#folder = folder;
    this.#data = join(at, "kuma");
    mkdirSync(this.#data);
  }

  get url(): string {
    return this.#url;
  }

  get daemon(): ChildProcess {
    if (this.#child === undefined) throw new Error("Uptime Kuma was not started");
    return this.#child;
  }

  /** Starts it, and answers when it serves. */
  async start(): Promise<void> {
    const port = await freePort();
    this.#url = `http://127.0.0.1:${port}`;
    const args = ["server/server.js", `--port=${port}`, "--host=127.0.0.1", `--data-dir=${this.#data}/`];
    const env = { ...process.env, NODE_ENV: "production", UPTIME_KUMA_DB_TYPE: "sqlite" };
    const child = spawn(process.execPath, args, { cwd: this.#folder, env, stdio: "ignore" });
    this.#child = child;
    const until = performance.now() + STARTS_WITHIN;
    while (!(await answers(this.#url))) {
      if (child.exitCode !== null) throw new Unavailable(`its server ended with ${child.exitCode}`);
      if (performance.now() > until) throw new Unavailable("its server does not answer");
      await sleep(50);
    }
  }

  /** Signs in, the first time as the user that it then makes; `hear` gets each heartbeat. */
  async signedIn(hear: (beat: Record<string, unknown>) => void = () => {}) {
    const { io } = createRequire(join(this.#folder, "package.json"))("socket.io-client") as {
      io: (url: string) => Socket;
    };
    const socket = io(this.#url);
    socket.on("heartbeat", hear);
    const ask = (event: string, ...args: unknown[]) =>
      new Promise<{ ok: boolean; token?: string }>((done, failed) => {
        const late = setTimeout(() => failed(new Unavailable(`no answer to ${event}`)), STARTS_WITHIN);
        socket.emit(event, ...args, (answer: { ok: boolean }) => {
          clearTimeout(late);
          done(answer);
        });
      });
    try {
      await ask("setup", USER.username, USER.password);
      const { ok, token } = await ask("login", { ...USER, token: "" });
      if (!ok || token === undefined) throw new Unavailable("its login failed");
      return { token, close: () => socket.disconnect() };
    } catch (error) {
      // A socket that is open tries again for ever, and keeps the process.
      socket.disconnect();
      throw error;
    }
  }

  /** While it does not run: monitors that wait for pushes, as its form makes them. */
  addMonitors(count: number, interval: number): void {
    this.#change((db) => {
      const add = db.prepare(
        `INSERT INTO monitor (name, active, user_id, interval, retry_interval, type, push_token, accepted_statuscodes_json)
         SELECT ?1, 1, id, ?2, ?2, 'push', ?3, '["200-299"]' FROM user LIMIT 1`,
      );
      for (let index = 0; index < count; index++) add.run(`agent-${index}`, interval, tokenOf(index));
    });
  }

  setInterval(interval: number): void {
    this.#change((db) => db.exec(`UPDATE monitor SET interval = ${interval}, retry_interval = ${interval}`));
  }

  #change(make: (db: InstanceType<typeof DatabaseSync>) => void): void {
    const db = new DatabaseSync(join(this.#data, "kuma.db"));
    db.exec("BEGIN");
    make(db);
    db.exec("COMMIT");
    db.close();
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await gone;
  }
}

export function tokenOf(index: number): string {
  return `token-${index}`;
}

/** While it changes its database, another small server answers in its place. */
async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/api/entry-page`);
    return "type" in ((await answer.json()) as object);
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer().once("error", failed);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => done(port));
    });
  });
}
