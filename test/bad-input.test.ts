import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it } from "vitest";
import { agentOf, cli, daemon, http, type RunningDaemon, temporaryHome, until } from "./product.ts";

const post = ({ url }: RunningDaemon, body: string | Buffer, headers: Record<string, string> = {}) =>
  http(`${url}/api/v1/beats`, { method: "POST", body, headers });

const refusals: readonly [string, string | Buffer, number, string, string][] = [
  [
    "an unknown status",
    '{"agent":"a","status":"maybe"}',
    400,
    "bad-beat",
    'status: expected "ok" or "error", not "maybe"',
  ],
  [
    "a negative cycle",
    '{"agent":"a","cycle":-1}',
    400,
    "bad-beat",
    "cycle: expected a whole number from 0 up, not -1",
  ],
  ["a fractional cycle", '{"agent":"a","cycle":1.5}', 400, "bad-beat", "cycle: expected a whole number"],
  ["an id with a slash", '{"agent":"a/b"}', 400, "bad-beat", "agent: expected an agent id"],
  ["an id with dots", '{"agent":"../../etc"}', 400, "bad-beat", "agent: expected an agent id"],
  [
    "an id of 300 characters",
    `{"agent":"${"a".repeat(300)}"}`,
    400,
    "bad-beat",
    "agent: expected an agent id",
  ],
  ["an id with a control character", '{"agent":"a\\u0007"}', 400, "bad-beat", "agent: expected an agent id"],
  ["no id at all", '{"status":"ok"}', 400, "bad-beat", "not nothing"],
  [
    "a misspelt key",
    '{"agent":"a","acton":"x"}',
    400,
    "bad-beat",
    'acton: unknown key; did you mean "action"?',
  ],
  [
    "a time without a zone",
    '{"agent":"a","sentAt":"2026-01-01 08:00"}',
    400,
    "bad-beat",
    "sentAt: expected an ISO",
  ],
  ["a number where a beat should be", "7", 400, "bad-beat", "expected an object"],
  ["what is not JSON", '{"agent":', 400, "bad-json", ""],
  ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 400, "bad-json", "not valid UTF-8"],
  ["a body of 2 MB", `{"agent":"a","message":"${"x".repeat(2_000_000)}"}`, 413, "too-large", "1 MiB"],
];

describe("bad input over HTTP", () => {
  it("each gets a clear answer, and the daemon goes on", async () => {
    const running = await daemon(temporaryHome());
    for (const [name, body, status, code, detail] of refusals) {
      const answer = await post(running, body);
      expect({ name, status: answer.status }).toEqual({ name, status });
      expect(answer.json(), name).toMatchObject({ code, status, detail: expect.stringContaining(detail) });
    }
    expect(await post(running, '{"agent":"still-here"}')).toMatchObject({ status: 204 });
    expect(await agentOf(running.url, "a")).toBeUndefined();
  });

  it("the short address says as much", async () => {
    const { url } = await daemon(temporaryHome());
    expect(await http(`${url}/beat/a%2Fb`)).toMatchObject({ status: 400 });
    expect(await http(`${url}/beat/a%ZZ`)).toMatchObject({ status: 400 });
    expect(await http(`${url}/beat/a?cycle=-3`)).toMatchObject({ status: 400 });
    expect(await http(`${url}/beat/a?cycle=seven`)).toMatchObject({ status: 400 });
    expect(await http(`${url}/beat/a`, { method: "DELETE" })).toMatchObject({ status: 405 });
    expect(await http(`${url}/nothing/here`)).toMatchObject({ status: 404 });
    expect(await http(`${url}/healthz`)).toMatchObject({ status: 200 });
  });

  it("text that is too long is cut and marked, not refused", async () => {
    const running = await daemon(temporaryHome());
    await post(running, JSON.stringify({ agent: "a", message: "x".repeat(20_000) }));
    const { message } = (await agentOf(running.url, "a")) as unknown as { message: string };
    expect(message).toHaveLength(10_000);
    expect(message.endsWith("…")).toBe(true);
  });

  it("no web page can beat for a dead agent", async () => {
    const running = await daemon(temporaryHome());
    const body = '{"agent":"a"}';
    expect(await post(running, body, { host: "evil.example" })).toMatchObject({ status: 403 });
    expect(await post(running, body, { host: "127.0.0.1.evil.example" })).toMatchObject({ status: 403 });
    expect(await post(running, body, { "sec-fetch-site": "cross-site" })).toMatchObject({ status: 403 });
    expect(await post(running, body, { origin: "https://evil.example" })).toMatchObject({ status: 403 });
    expect(
      await http(`${running.url}/beat/a`, { headers: { "sec-fetch-site": "cross-site" } }),
    ).toMatchObject({
      status: 403,
    });
    expect(await agentOf(running.url, "a")).toBeUndefined();
    expect(await post(running, body, { host: "localhost:7766" })).toMatchObject({ status: 204 });
    expect(await post(running, body, { host: "[::1]:7766" })).toMatchObject({ status: 204 });
  });

  it("what changes the fleet needs the token, and strangers are refused if they may not register", async () => {
    const home = temporaryHome("autoRegister: false\nagents: [{ id: allegro }]\n");
    const running = await daemon(home);
    expect(await post(running, '{"agent":"stranger"}')).toMatchObject({ status: 404 });
    expect(await http(`${running.url}/beat/stranger`)).toMatchObject({ status: 404 });
    const add = (headers: Record<string, string>) =>
      http(`${running.url}/api/v1/agents`, { method: "POST", body: '{"id":"new-one"}', headers });
    expect(await add({})).toMatchObject({ status: 401 });
    expect(await add({ authorization: "Bearer wrong" })).toMatchObject({ status: 401 });
    expect(await agentOf(running.url, "new-one")).toBeUndefined();
    expect(await cli(home, "agents", "add", "new-one", "--every", "1h")).toMatchObject({ status: 0 });
    expect(await agentOf(running.url, "new-one")).toMatchObject({
      state: "new",
      rule: { every: "1h", grace: "5m" },
    });
  });
});

describe("bad files", () => {
  it("a corrupt spool file is moved aside and reported, never deleted, and the others are taken up", async () => {
    const home = temporaryHome();
    mkdirSync(join(home, "spool"));
    const good = {
      id: "0190f3e0-0000-7000-8000-000000000001",
      agent: "good",
      status: "ok",
      sentAt: new Date(),
    };
    writeFileSync(join(home, "spool", "0001.json"), "{ this is not");
    writeFileSync(join(home, "spool", "0002.json"), JSON.stringify(good));
    writeFileSync(join(home, "spool", "0003.json"), JSON.stringify({ ...good, agent: "no/good" }));
    writeFileSync(join(home, "spool", "0004.json"), Buffer.from([0xff, 0xfe, 0x00]));
    const { url } = await daemon(home);
    expect(await agentOf(url, "good")).toMatchObject({ state: "alive" });
    // One that does not end may still be written to: it is left alone for a while.
    const bad = await until(
      () => readdirSync(join(home, "spool", "bad")).sort(),
      (names) => names.length === 3,
    );
    expect(bad).toEqual(["0001.json", "0003.json", "0004.json"]);
    expect((await cli(home, "status")).stdout).toContain("3 spooled files are not beats");
    writeFileSync(join(home, "spool", "0005.json"), "rubbish while it runs");
    await until(() => existsSync(join(home, "spool", "bad", "0005.json")), Boolean);
    expect(await http(`${url}/beat/good`)).toMatchObject({ status: 200 });
  });

  it("a home that cannot be written is one clear sentence", async () => {
    const home = temporaryHome();
    writeFileSync(join(home, "beats"), "a file where a folder should be");
    const done = await cli(home, "up", "--listen", "127.0.0.1:0");
    expect(done.status).toBe(1);
    expect(done.stderr).toContain(join(home, "beats"));
    expect(done.stderr).not.toContain("    at ");
  });

  it("a database from a newer version is refused and left as it is", async () => {
    const home = temporaryHome();
    await (await daemon(home)).end("SIGTERM");
    const database = new DatabaseSync(join(home, "rollcall.db"));
    database.exec("PRAGMA user_version = 9999");
    database.close();
    const done = await cli(home, "up", "--listen", "127.0.0.1:0");
    expect(done.status).toBe(1);
    expect(done.stderr).toContain("rollcall.db");
    expect(done.stderr).toContain("9999");
    expect(done.stderr).not.toContain("    at ");
  });

  it("a config error names the file, the line, the path, the value and what would be right", async () => {
    const home = temporaryHome(
      "agents:\n  - { id: allegro, evry: 15m }\n  - { id: b, grace: soon }\nlisten: 0.0.0.0:80\n",
    );
    const file = join(home, "rollcall.yaml");
    const done = await cli(home, "config", "check");
    expect(done.status).toBe(1);
    expect(done.stderr).toBe(
      `rollcall: ${file}:2: agents[0].evry: unknown key; did you mean "every"?\n` +
        `rollcall: ${file}:3: agents[1].grace: expected a duration such as 15m, 1h30m or 90s, not "soon"\n`,
    );
    expect(await cli(home, "up")).toMatchObject({ status: 1, stderr: done.stderr });
  });

  it("a config file that is not there is one clear sentence, whether a watcher runs or not", async () => {
    const home = temporaryHome();
    const file = join(home, "mistyped.yaml");
    const stderr = `rollcall: ${file}: there is no such file\n`;
    const asks = async () => {
      for (const words of [["status"], ["explain", "allegro"], ["agents", "list"]])
        expect(await cli(home, ...words, "--config", file)).toMatchObject({ status: 1, stderr });
      // 1 and 2 would say how the agent is.
      for (const words of [
        ["check", "allegro", "--config", file],
        ["--config", file, "check", "allegro"],
      ])
        expect(await cli(home, ...words)).toMatchObject({ status: 3, stderr });
    };
    await asks();
    await daemon(home);
    await asks();
  });

  it("a value that is not valid ends with 2, and a thing that is not there with 3, in every command", async () => {
    const home = temporaryHome();
    await cli(home, "beat", "bot");
    const codes = async (code: number, ...commands: string[]) => {
      for (const line of commands) {
        const { status, stderr } = await cli(home, ...line.split(" "));
        expect({ line, status, stderr }).toEqual({
          line,
          status: code,
          stderr: expect.stringMatching(/^rollcall: |^error: /),
        });
      }
    };
    const bad = ["agents add foo --every 5x", "agents add foo --every 0", "agents add foo --schedule daily"];
    const gone = [
      ...["agents remove nobody", "incidents show none", "incidents list --host zz", "silence end s-none"],
      ...["token revoke none", "deliveries retry none", "work done none"],
    ];
    await codes(
      2,
      ...bad,
      "silence add --agent bot --for 0m",
      "wait bot --timeout abc",
      "run --timeout x bot -- true",
    );
    await codes(3, ...gone);
    await codes(1, `backup ${join(home, "rollcall.db")}`);
    await daemon(home);
    await codes(2, ...bad);
    await codes(3, ...gone, "actions run none");
    await codes(1, `restore ${join(home, "rollcall.db")}`);
  });

  it("listening elsewhere than on loopback is refused while there is no token", async () => {
    const done = await cli(temporaryHome("listen: 0.0.0.0:7766\n"), "up");
    expect(done).toMatchObject({ status: 1, stderr: expect.stringContaining("there is no token yet") });
    expect(done.stderr).not.toContain("    at ");
  });

  it("a second watcher in the same home is refused", async () => {
    const home = temporaryHome();
    const { child } = await daemon(home);
    const done = await cli(home, "up", "--listen", "127.0.0.1:0");
    expect(done).toMatchObject({ status: 1, stderr: expect.stringContaining(`process ${child.pid}`) });
  });

  it("a port that is taken is one clear sentence", async () => {
    const { url } = await daemon(temporaryHome());
    const done = await cli(temporaryHome(), "up", "--listen", url.replace("http://", ""));
    expect(done).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("another program already listens there"),
    });
    expect(done.stderr).not.toContain("    at ");
  });
});
