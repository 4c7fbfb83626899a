// Several hubs on one PostgreSQL, of which any may die: real processes and a real server.
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestServer, testServer, whyNoServer } from "../src/store/postgres/server.fixture.ts";
import { VERSION } from "../src/system/version.ts";
import { expectAllTold, health, hubsOn, Load, ownerOf, type RunningHub } from "./hub-pair.ts";
import { agentOf, cli, http, rollcall, temporaryHome, until } from "./product.ts";

const why = whyNoServer();

const OLDER = "0.0.9";

/** The built program, as if it were of an older version. */
function olderProgram(): string {
  const folder = temporaryHome();
  for (const each of ["bin", "dist"]) mkdirSync(join(folder, each));
  const from = join(dirname(rollcall), "..");
  for (const name of readdirSync(join(from, "dist"))) {
    // What V8 compiled would still hold the other version.
    if (name.endsWith(".cache") || name.endsWith(".map")) continue;
    const file = join(from, "dist", name);
    if (statSync(file).isDirectory() || !name.endsWith(".cjs")) symlinkSync(file, join(folder, "dist", name));
    else
      writeFileSync(
        join(folder, "dist", name),
        readFileSync(file, "utf8").replaceAll(`"${VERSION}"`, `"${OLDER}"`),
      );
  }
  copyFileSync(rollcall, join(folder, "bin", "rollcall.js"));
  return join(folder, "bin", "rollcall.js");
}

const token = async (
  home: string,
  scope: string,
): Promise<{ readonly token: { readonly id: string }; readonly secret: string }> =>
  JSON.parse((await cli(home, "token", "create", "--scope", scope, "--json")).stdout);

describe.skipIf(why !== undefined)(`hubs on PostgreSQL${why === undefined ? "" : ` (${why})`}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer();
  });
  afterAll(() => server.stop());

  it("pass requests on to the owner, which hands over when it stops, and know all that was made by either", async () => {
    const { start, far, ask } = await hubsOn(server, "agents: [{ id: presto, every: 1h }]\n");
    const [first, second] = [await start(), await start()];
    expect(first.said()).toContain("is watching");
    expect(second.said()).toContain("stands by");
    expect(await http(`${second.url}/beat/allegro?action=work`)).toMatchObject({ status: 200 });
    expect(await health(second)).toMatchObject({ status: "standby", owner: first.url });
    expect(await http(`${second.url}/readyz`)).toMatchObject({ status: 200 });
    expect(await agentOf(second.url, "allegro")).toMatchObject({ state: "alive" });
    // Beats that are left in its home as files reach the owner too.
    expect(await cli(second.home, "beat", "presto", "--action", "by command")).toMatchObject({ status: 0 });
    writeFileSync(join(second.home, "beats", "largo"), "");
    await until(
      () => agentOf(first.url, "presto"),
      (agent) => agent?.state === "alive",
    );
    await until(
      () => agentOf(first.url, "largo"),
      (agent) => agent?.state === "alive",
    );
    const made = await token(second.home, "read");
    const headers = { authorization: `Bearer ${made.secret}` };
    expect(await cli(second.home, "silence", "add", "--agent", "presto", "--for", "1h")).toMatchObject({
      status: 0,
    });
    const { pingUuid } = (await agentOf(first.url, "presto")) as { pingUuid?: string };
    const listed = JSON.parse((await cli(second.home, "hubs", "--json")).stdout);
    expect(listed.hubs.map(({ role }: { role: string }) => role).sort()).toEqual(["owner", "standby"]);
    expect((await cli(first.home, "hubs", "list")).stdout).toMatch(/owns the database: .*epoch 1,/);

    // What the owner let in once is taken by the hub that stands by, until the owner says otherwise.
    const beats = await token(second.home, "beat");
    const send = (cycle: number) =>
      http(`${second.url}/api/v1/beats`, {
        ...{ method: "POST", headers: { authorization: `Bearer ${beats.secret}` } },
        body: JSON.stringify({ agent: "allegro", action: `step ${cycle}` }),
      });
    for (const cycle of [1, 2, 3]) expect(await send(cycle)).toMatchObject({ status: 204 });
    expect(Number((await ask("SELECT no FROM inbox_head"))[0]?.[0])).toBeGreaterThan(0);
    await until(
      () => ask("SELECT body FROM beats WHERE agent = 'allegro' ORDER BY received_at DESC LIMIT 1"),
      ([row]) => String(row?.[0]).includes("step 3"),
    );
    expect(await cli(first.home, "token", "revoke", beats.token.id)).toMatchObject({ status: 0 });
    expect(await send(4)).toMatchObject({ status: 401 });

    const stopping = first.end("SIGTERM");
    // Whoever comes meanwhile waits, at either of the two.
    expect(await http(`${second.url}/beat/allegro`)).toMatchObject({ status: 200 });
    expect(await stopping).toBe(0);
    await until(
      () => health(second),
      ({ status }) => status === "ok",
    );
    expect(await http(`${second.url}/api/v1/agents`, { headers })).toMatchObject({ status: 200 });
    expect((await cli(second.home, "silence", "list", "--json")).stdout).toContain("presto");
    expect(await agentOf(second.url, "presto")).toMatchObject({ pingUuid });

    // The hub that does not run says which one does.
    expect((await cli(first.home, "status")).stdout).toMatch(
      /No watcher is running in this home: judged from the database postgres:.*uses this database and watches its agents/s,
    );
    expect((await cli(first.home, "doctor")).stdout).toMatch(/no watcher runs in this home; hub .* watches/);
    expect(await cli(first.home, "agents", "pause", "presto")).toMatchObject({
      ...{ status: 1, stderr: expect.stringMatching(/only hub .* may change the database/) },
    });
    expect(far.taken).toEqual([]);
  });

  it("lose nothing and tell once when the owner is killed, and again when the next one is", async () => {
    const hubs = await hubsOn(server);
    const pair = [await hubs.start(), await hubs.start()];
    await http(`${pair[1]?.url}/beat/early`);
    const load = new Load(() => pair, 4);
    const agents = ["bot-0", "bot-1"];
    for (const [round, id] of agents.entries()) {
      const owner = await ownerOf(pair);
      expect(await http(`${pair[round]?.url}/beat/${id}?status=error`)).toMatchObject({ status: 200 });
      await sleep(round * 150);
      await owner.end("SIGKILL");
      const [next] = pair.filter((hub) => hub !== owner);
      await until(
        () => http(`${next?.url}/beat/probe`),
        ({ status }) => status === 200,
      );
      pair[pair.indexOf(owner)] = await hubs.start(owner.home);
    }
    await expectAllTold(hubs, agents);
    expect(await load.end(hubs)).toBeGreaterThan(20);
    expect((await hubs.ask("SELECT epoch FROM partitions"))[0]?.[0]).toBe("3");
    const spans = await hubs.ask("SELECT cause, max(to_at - from_at) < 10000 FROM blind GROUP BY cause");
    expect(spans).toEqual([["lag", true]]);
  });

  it("of two versions run side by side while one after the other is updated, unless the newer one removed something", async () => {
    const older = olderProgram();
    const { start, ask } = await hubsOn(server);
    const first = await start(undefined, older);
    // As a newer version leaves the schema that only added to it.
    await ask(
      "ALTER TABLE partitions ADD COLUMN later text; UPDATE schema_version SET version = version + 1",
    );
    const second = await start();
    expect(second.said()).toContain("stands by");
    const versions = async (home: string) =>
      (
        JSON.parse((await cli(home, "hubs", "--json")).stdout) as {
          hubs: { role: string; version: string }[];
        }
      ).hubs
        .map(({ role, version }) => `${role} ${version}`)
        .sort();
    expect(await versions(second.home)).toEqual([`owner ${OLDER}`, `standby ${VERSION}`]);
    const beat = (hub: RunningHub) => http(`${hub.url}/beat/allegro`);
    // An owner of another version may not understand what we would put into the inbox. What is left as a file waits.
    expect(await cli(second.home, "beat", "largo")).toMatchObject({ status: 0 });
    for (const _ of [1, 2, 3]) expect(await beat(second)).toMatchObject({ status: 200 });
    expect(await ask("SELECT no FROM inbox_head")).toEqual([["0"]]);
    expect(await ask("SELECT count(*) FROM beats WHERE agent = 'allegro'")).toEqual([["3"]]);

    expect(await first.end("SIGTERM")).toBe(0);
    await until(
      () => health(second),
      ({ status }) => status === "ok",
    );
    await until(
      () => agentOf(second.url, "largo"),
      (agent) => agent?.state === "alive",
    );
    const third = await start(first.home);
    expect(await versions(second.home)).toEqual([`owner ${VERSION}`, `standby ${VERSION}`]);
    for (const _ of [1, 2, 3]) expect(await beat(third)).toMatchObject({ status: 200 });
    expect(await ask("SELECT no > 0 FROM inbox_head")).toEqual([[true]]);
    await until(
      () => ask("SELECT count(*) FROM beats WHERE agent = 'allegro'"),
      ([row]) => row?.[0] === "6",
    );

    await ask("UPDATE schema_version SET oldest = version");
    await expect(start(undefined, older)).rejects.toThrow("written by a newer Rollcall");
  });
});
