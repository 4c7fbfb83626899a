import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type TestServer, testServer, whyNoServer } from "../src/store/postgres/server.fixture.ts";
import { openSqlite } from "../src/store/sqlite/index.ts";
import { uuidv7 } from "../src/system/uuid.ts";
import { cli, daemon, rollcall, temporaryHome } from "./product.ts";

const why = whyNoServer();
/** `npm run test:long` ends the copy at ten moments. */
const KILLS = Number(process.env.COPY_KILLS ?? 1);
const BEATS = 4_000 * KILLS;
const T = Date.UTC(2026, 2, 29, 1);

interface Report {
  readonly how: string;
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly checksum: string }[];
}

/** A store with many beats, at a place that a command can name. */
interface Target {
  readonly place: string;
  /** How many beats an unfinished copy holds, or undefined if there is none. */
  readonly copied: () => Promise<number | undefined>;
}

describe.skipIf(why !== undefined)(`rollcall store copy${why === undefined ? "" : ` (${why})`}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer();
  });
  afterAll(() => server.stop());

  const filledFile = async () => {
    const file = join(temporaryHome(), "rollcall.db");
    const store = await openSqlite(file);
    const agent = { id: "allegro", rule: { every: 900_000, grace: 300_000 }, origin: "beat" } as const;
    await store.commit({ agents: [{ ...agent, addedAt: T }] });
    for (let first = 0; first < BEATS; first += 1_000)
      await store.commit({
        beats: Array.from({ length: 1_000 }, (_, n) => ({
          ...{ id: uuidv7(), agent: "allegro", source: "agent", status: "ok" },
          ...{ sentAt: T, receivedAt: T + first + n, message: "x".repeat(100) },
        })),
        flips: [
          {
            ...{ agent: "allegro", from: "alive", to: "late", reason: "overdue", why: String(first) },
            ...{ at: T, noticedAt: T },
          },
        ],
      });
    await store.close();
    return file;
  };
  const progressIn = (text: unknown) => {
    const { table, rows } = JSON.parse(String(text)) as { table: number; rows: number };
    return table === 0 ? 0 : table === 1 ? rows : BEATS;
  };
  const emptySchema = async (): Promise<Target> => {
    const url = await server.schema();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    return {
      place: url,
      async copied() {
        const found = await client.query("SELECT to_regclass('copying')::text AS there");
        if (found.rows[0]?.there === null) return undefined;
        return progressIn((await client.query("SELECT progress FROM copying")).rows[0]?.progress);
      },
    };
  };
  const emptyFile = async (): Promise<Target> => {
    const file = join(temporaryHome(), "rollcall.db");
    return {
      place: `sqlite:${file}`,
      async copied() {
        if (!existsSync(`${file}-wal`)) return undefined;
        const db = new DatabaseSync(file, { readOnly: true, returnArrays: true });
        try {
          const [progress] = db.prepare("SELECT progress FROM copying").get() as readonly unknown[];
          return progressIn(progress);
        } catch {
          return undefined;
        } finally {
          db.close();
        }
      },
    };
  };

  const copy = async (from: string, to: string): Promise<Report> => {
    const { status, stdout, stderr } = await cli(
      temporaryHome(),
      ...["store", "copy", "--from", from, "--to", to, "--json"],
    );
    expect(stderr).toBe("");
    expect(status).toBe(0);
    return JSON.parse(stdout) as Report;
  };

  /** Begins a copy and ends it as soon as it holds so many beats. */
  const killedAt = async (from: string, { place, copied }: Target, beats: number) => {
    const child = spawn(process.execPath, [rollcall, "store", "copy", "--from", from, "--to", place], {
      stdio: "ignore",
    });
    const gone = new Promise((done) => child.once("exit", done));
    for (;;) {
      const there = await copied();
      if (there !== undefined && there >= beats) break;
      if (child.exitCode !== null) throw new Error("the copy was complete before it could be killed");
      await sleep(2);
    }
    child.kill("SIGKILL");
    await gone;
  };

  const directions = [
    ["SQLite to PostgreSQL", false],
    ["PostgreSQL to SQLite", true],
  ] as const;

  it.each(directions)(`loses nothing in ${KILLS} kills from %s`, async (_, isBack) => {
    let from = `sqlite:${await filledFile()}`;
    const reference = await emptySchema();
    const whole = await copy(from, reference.place);
    expect(whole.tables.find(({ table }) => table === "beats")).toMatchObject({ rows: BEATS });
    if (isBack) from = reference.place;
    for (let kill = 0; kill < KILLS; kill++) {
      const target = isBack ? await emptyFile() : await emptySchema();
      await killedAt(from, target, Math.floor((BEATS * kill) / Math.max(1, KILLS - 1)));
      expect(await copy(from, target.place)).toMatchObject({ how: "resumed", tables: whole.tables });
    }
  });

  it("moves a fleet to PostgreSQL and back, and refuses what would mix two", async () => {
    const home = temporaryHome("agents: [{ id: allegro }]\n");
    const file = `sqlite:${join(home, "rollcall.db")}`;
    const url = await server.schema();
    const copying = (from: string, to: string) => cli(home, "store", "copy", "--from", from, "--to", to);
    const first = await daemon(home);
    await cli(home, "beat", "allegro", "--action", "on sqlite");
    await cli(home, "silence", "add", "--agent", "allegro", "--for", "1h");
    expect(await copying(file, url)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("is using"),
    });
    await first.end("SIGTERM");

    const secret = join(home, "store-url");
    writeFileSync(secret, `${url}\n`);
    const done = await copying(file, `file:${secret}`);
    expect(done).toMatchObject({ status: 0, stderr: "" });
    expect(done.stdout).toContain("compared by count and checksum");
    writeFileSync(join(home, "rollcall.yaml"), `store: { urlFile: ${secret} }\nagents: [{ id: allegro }]\n`);
    const second = await daemon(home);
    expect((await cli(home, "beats", "allegro")).stdout).toContain("on sqlite");
    expect((await cli(home, "silence", "list")).stdout).toContain("allegro");
    await cli(home, "beat", "allegro", "--action", "on postgres");
    expect(await copying(`file:${secret}`, file)).toMatchObject({ status: 2 });
    await second.end("SIGTERM");

    expect(await copying(`file:${secret}`, file)).toMatchObject({
      ...{ status: 2, stderr: expect.stringContaining("holds other data") },
    });
    const back = temporaryHome();
    expect(await copying(`file:${secret}`, `sqlite:${join(back, "rollcall.db")}`)).toMatchObject({
      status: 0,
    });
    expect((await cli(back, "beats", "allegro")).stdout).toMatch(/on postgres[\s\S]*on sqlite/);
  });

  it("is refused by the watcher until it is complete", async () => {
    const file = await filledFile();
    const target = await emptyFile();
    const there = await emptySchema();
    await copy(`sqlite:${file}`, there.place);
    await killedAt(there.place, target, 0);
    const home = join(target.place.slice("sqlite:".length), "..");
    for (const words of [["up"], ["status"]])
      expect(await cli(home, ...words)).toMatchObject({
        ...{ status: 1, stderr: expect.stringContaining("is an unfinished copy of") },
      });
  });

  it("says what is wrong with a place, and never shows a password", async () => {
    const home = temporaryHome();
    for (const [from, to, says] of [
      ["sqlite:/nowhere/rollcall.db", "postgres://127.0.0.1:1/x", "there is no database at"],
      ["sqlite:/nowhere/rollcall.db", "sqlite:/tmp/x", "rollcall backup"],
      ["postgres://a:s3cret@b/c", "postgres://a:s3cret@b/d", "pg_dump"],
      ["postgres://a:s3cret@127.0.0.1:1/c", `sqlite:${home}/x.db`, "cannot be reached"],
      ["env:NO_SUCH_NAME", `sqlite:${home}/x.db`, "NO_SUCH_NAME is not set"],
      [`file:${home}/none`, `sqlite:${home}/x.db`, "cannot be read"],
      ["mysql://a:s3cret@b/c", `sqlite:${home}/x.db`, "--from: expected sqlite:PATH"],
    ] as const) {
      const { status, stdout, stderr } = await cli(home, "store", "copy", "--from", from, "--to", to);
      expect(stderr).toContain(says);
      expect(stdout + stderr).not.toContain("s3cret");
      expect([1, 2]).toContain(status);
    }
  });
});
