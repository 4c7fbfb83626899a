import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  agentOf,
  cli,
  daemon,
  http,
  rollcall,
  runToEnd,
  type StatusJson,
  temporaryHome,
  until,
} from "./product.ts";

/** The published packages, unchanged: only their base address is ours. */
async function pingClient(baseUrl: string, uuid: string) {
  const { HealthChecksPingClient } = (await import("healthchecks-io-client")).default;
  return new HealthChecksPingClient({ baseUrl, uuid, returnResponse: true });
}

async function pingUuidOf(home: string, id: string): Promise<string> {
  const { stdout } = await cli(home, "agents", "list", "--json");
  return String((JSON.parse(stdout) as StatusJson).agents.find((agent) => agent.id === id)?.pingUuid);
}

describe("pings of clients made for Healthchecks", () => {
  it("healthchecks-io-client starts, succeeds and fails", async () => {
    const home = temporaryHome();
    const { url } = await daemon(home);
    await cli(home, "agents", "add", "nightly", "--every", "1h");
    const client = await pingClient(`${url}/ping`, await pingUuidOf(home, "nightly"));
    expect(await client.start()).toBe("OK");
    expect(await agentOf(url, "nightly")).toMatchObject({ state: "alive", cycle: 1 });
    expect(await client.success("3 files")).toBe("OK");
    expect(await agentOf(url, "nightly")).toMatchObject({ state: "resting", message: "3 files" });
    expect(await client.fail("no disk")).toBe("OK");
    expect(await agentOf(url, "nightly")).toMatchObject({ state: "failing", message: "no disk" });
    const { stdout } = await cli(home, "cycles", "nightly", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ cycles: [{ number: 1, outcome: "ok" }] });
  });

  it("healthchecks.io beats by itself, also by key and slug", async () => {
    const home = temporaryHome();
    const { url } = await daemon(home);
    const made = await cli(home, "token", "create", "--scope", "beat", "--ping-key");
    expect(made).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^[A-Za-z0-9]{32}\n$/),
      stderr: "",
    });
    const { healthcheck } = await import("healthchecks.io");
    const check = healthcheck(`${url}/ping/${made.stdout.trim()}/db-backup?create=1`, 30);
    onTestFinished(() => check?.stop());
    await until(
      () => agentOf(url, "db-backup"),
      (agent) => agent?.state === "alive",
    );
  });

  it("a ping UUID is the same after a restart, and without a watcher", async () => {
    const home = temporaryHome();
    const first = await daemon(home);
    await cli(home, "beat", "allegro");
    await until(
      () => agentOf(first.url, "allegro"),
      (agent) => agent !== undefined,
    );
    const uuid = await pingUuidOf(home, "allegro");
    expect(uuid).toMatch(/^[0-9a-f-]{36}$/);
    await first.end("SIGTERM");
    expect(await pingUuidOf(home, "allegro")).toBe(uuid);
    const second = await daemon(home);
    expect(await pingUuidOf(home, "allegro")).toBe(uuid);
    expect((await http(`${second.url}/ping/${uuid}`)).body).toBe("OK");
  });
});

describe("rollcall token", () => {
  it("makes, lists and takes back, with a watcher and without", async () => {
    const home = temporaryHome();
    const offline = await cli(home, "token", "create", "--scope", "admin", "--name", "\u001b[31mAnn");
    expect(offline).toMatchObject({ status: 0, stdout: expect.stringMatching(/^rc_\w+\n$/) });
    const { url } = await daemon(home);
    const admin = { authorization: `Bearer ${offline.stdout.trim()}` };
    expect((await http(`${url}/api/v1/audit`, { headers: admin })).body).toContain("command line");
    const online = await cli(home, "token", "create", "--scope", "beat", "--agent", "allegro", "--json");
    const { token, secret } = JSON.parse(online.stdout) as { token: { id: string }; secret: string };
    const listed = await cli(home, "token", "list");
    expect(listed.stdout).toContain(token.id);
    expect(listed.stdout).toContain("Ann");
    expect(listed.stdout).not.toContain("\u001b");
    expect(listed.stdout + online.stderr).not.toContain(secret);
    expect(await cli(home, "token", "revoke", token.id)).toMatchObject({ status: 0 });
    expect(await cli(home, "token", "revoke", token.id)).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("there is no token"),
    });
    expect(await cli(home, "token", "create", "--scope", "read", "--agent", "x")).toMatchObject({
      status: 2,
      stderr: "rollcall: agent: expected the scope beat beside it\n",
    });
    expect(await cli(home, "token", "create", "--scope", "root")).toMatchObject({ status: 2 });
  });

  it("is what another address than loopback waits for", async () => {
    const home = temporaryHome();
    const up = () =>
      runToEnd(process.execPath, [rollcall, "up", "--listen", "0.0.0.0:0"], { ROLLCALL_HOME: home });
    expect(await up()).toMatchObject({ status: 1, stderr: expect.stringContaining("rollcall token create") });
    await cli(home, "token", "create", "--scope", "read");
    // With one it gets as far as the socket: here another program holds it.
    const other = createServer().listen(0, "0.0.0.0");
    await new Promise((done) => other.once("listening", done));
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    const args = [rollcall, "up", "--listen", `0.0.0.0:${port}`];
    const held = await runToEnd(process.execPath, args, { ROLLCALL_HOME: home });
    expect(held).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("another program already listens there"),
    });
  });
});
