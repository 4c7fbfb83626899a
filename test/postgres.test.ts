import { spawn } from "node:child_process";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestServer, testServer, whyNoServer } from "../src/store/postgres/server.fixture.ts";
import { cli, daemon, rollcall, temporaryHome } from "./product.ts";

const why = whyNoServer();

describe.skipIf(why !== undefined)(`a watcher on PostgreSQL${why === undefined ? "" : ` (${why})`}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer();
  });
  afterAll(() => server.stop());

  const homeOn = (url: string) => temporaryHome(`store: { url: "${url}" }\nagents: [{ id: allegro }]\n`);
  const query = async (url: string, sql: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const statusOf = async (home: string) => {
    const { stdout } = await cli(home, "status", "--json");
    const { agents } = JSON.parse(stdout) as { agents: { id: string; state: string }[] };
    return Object.fromEntries(agents.map(({ id, state }) => [id, state]));
  };

  it("goes on after kill -9, and commands read and write the store while none runs", async () => {
    const home = homeOn(await server.schema());
    const first = await daemon(home);
    expect(await cli(home, "beat", "allegro", "--action", "sync inbox")).toMatchObject({ status: 0 });
    expect(await statusOf(home)).toMatchObject({ allegro: "alive" });
    await first.end("SIGKILL");
    expect(await statusOf(home)).toMatchObject({ allegro: "alive" });
    expect(await cli(home, "agents", "add", "presto", "--every", "1h")).toMatchObject({ status: 0 });
    const second = await daemon(home);
    expect(await statusOf(home)).toMatchObject({ allegro: "alive", presto: "new" });
    expect((await cli(home, "beats", "allegro")).stdout).toContain("sync inbox");
    expect(await second.end("SIGTERM")).toBe(0);
    expect(await cli(home, "backup", `${home}/copy.db`)).toMatchObject({
      ...{ status: 1, stderr: expect.stringContaining("pg_dump") },
    });
  });

  it("waits for its server, at its start and later, and takes the beats of that time", async (context) => {
    const { crash, start } = server;
    if (crash === undefined || start === undefined) return context.skip("this server is not ours to end");
    const home = homeOn(await server.schema());
    await crash();
    const starting = daemon(home);
    expect(await cli(home, "status")).toMatchObject({ stderr: expect.stringContaining("cannot be reached") });
    await start();
    const { end } = await starting;
    await crash();
    expect(await cli(home, "beat", "allegro", "--action", "in between")).toMatchObject({ status: 0 });
    await start();
    await expect.poll(async () => (await cli(home, "beats", "allegro")).stdout).toContain("in between");
    await end("SIGTERM");
  });

  it("ends when another one has taken its store, and tells nobody that it is blind", async () => {
    const url = await server.schema();
    const home = homeOn(url);
    const { child, said } = await daemon(home);
    const gone = new Promise((done) => child.once("exit", done));
    await query(url, "UPDATE partitions SET owner = 'hub-2', session = '', epoch = epoch + 1");
    expect(await gone).toBe(70);
    expect(said()).toContain('was taken over by "hub-2"');
    expect(said()).not.toContain("blind");
  });

  it("hears from doctor what is wrong with its server", async () => {
    const url = new URL(await server.schema());
    const path = url.searchParams.get("options") ?? "";
    url.searchParams.set("options", `${path} -c synchronous_commit=off`);
    const { status, stdout } = await cli(homeOn(url.href), "doctor", "--json");
    expect(status).toBe(2);
    expect(stdout).toContain("synchronous_commit is off");
    const { rows } = await query(url.href, "SELECT current_setting('fsync') AS fsync");
    if (rows[0]?.fsync === "off") expect(stdout).toContain("fsync is off");
  });

  it("never shows the password of its store", async () => {
    const home = homeOn("postgres://rollcall:s3cret@127.0.0.1:1/roll");
    for (const words of [
      ["config", "show"],
      ["config", "show", "--json"],
      ["config", "check"],
      ["status"],
      ["doctor"],
      ["agents", "list"],
    ]) {
      const { stdout, stderr } = await cli(home, ...words);
      expect(stdout + stderr, words.join(" ")).not.toContain("s3cret");
    }
    const bad = temporaryHome('store: { url: "postgres:rollcall:s3cret" }\n');
    const { stderr } = await cli(bad, "config", "check");
    expect(stderr).toContain("postgres://rollcall@db.example.org/rollcall");
    expect(stderr).not.toContain("s3cret");
  });
});

it("a watcher that waits for its server says so, and ends without an error when it is stopped", async () => {
  const home = temporaryHome('store: { url: "postgres://rollcall@127.0.0.1:1/none" }\nlisten: 127.0.0.1:0\n');
  const child = spawn(process.execPath, [rollcall, "up", "--home", home]);
  const gone = new Promise((done) => child.once("exit", (...how) => done(how)));
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  await expect.poll(() => said, { timeout: 20_000 }).toContain("it waits for the database and then begins");
  child.kill("SIGTERM");
  expect(await gone).toEqual([0, null]);
  expect(said).toContain("stopped");
  expect(said).not.toContain("aborted");
});
