import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openSqlite } from "../src/store/sqlite/index.ts";
import { agentOf, cli, daemon, http, root, type StatusJson, temporaryHome } from "./product.ts";

const FOLDER = join(root, "test/fixtures/databases");
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".db.gz"));

// The same agents as when it was made, but with other rules: nobody may stumble over that either.
const CONFIG = `
agents:
  - { id: allegro, every: 20m }
  - { id: builder, every: 3s, grace: 2s }
  - { id: nightly, schedule: "30 2 * * *", timezone: Europe/Berlin, grace: 1h }
  - { id: writer, every: 1h }
  - { id: drifter, every: 1h }
`;

function homeWith(name: string): string {
  const home = temporaryHome(CONFIG);
  const bytes = gunzipSync(readFileSync(join(FOLDER, name)));
  writeFileSync(join(home, "rollcall.db"), bytes, { mode: 0o600 });
  return home;
}

describe.each(FILES)("the database %s", (name) => {
  it("is opened by today's store, with everything in it", async () => {
    const store = await openSqlite(join(homeWith(name), "rollcall.db"));
    const { agents, entries, incidents, recoveries, records, mark } = await store.load();
    expect(agents.map(({ id, origin }) => `${id} ${origin}`).sort()).toEqual([
      ...["allegro config", "builder config", "drifter beat", "helper added", "nightly config"],
      ...["porter beat", "rollcall@pallas config", "stray beat", "writer config"],
    ]);
    expect(Object.fromEntries(entries.map(({ agent, standing }) => [agent, standing.verdict.state]))).toEqual(
      {
        ...{ allegro: "alive", builder: "dead", drifter: "alive", helper: "new", nightly: "alive" },
        ...{ porter: "resting", "rollcall@pallas": "alive", stray: "alive", writer: "paused" },
      },
    );
    expect([...new Set(records.map(({ kind }) => kind))].sort()).toEqual(["action", "silence", "token"]);
    expect(incidents.map(({ subject }) => subject).sort()).toEqual(["builder", "writer"]);
    expect(recoveries).toHaveLength(1);
    expect(mark?.bootId).toMatch(/^0{8}-/);
    expect(await store.beats("allegro", { limit: 10 })).toHaveLength(4);
    expect((await store.flips("builder", { limit: 10 })).map(({ to }) => to)).toContain("dead");
    expect((await store.cycles("allegro", { limit: 10 })).map(({ number }) => number)).toEqual([7, 6]);
    const [open, ...more] = await store.incidents.page({ state: "open", limit: 10 });
    expect(open).toMatchObject({ subject: "builder", state: "dead", acknowledged: { by: "ada" } });
    expect(more).toEqual([]);
    expect(await store.incidents.page({ subject: "writer", state: "over", limit: 10 })).toHaveLength(1);
    const told = await store.deliveries.page({ to: "pager", incident: open?.id, limit: 10 });
    expect(told.map(({ state }) => state)).toContain("sent");
    expect(await store.deliveries.page({ limit: 10 })).toHaveLength(3);
    expect(await store.recoveries.page({ agent: "builder", limit: 10 })).toHaveLength(1);
    const runs = async (action: string) => (await store.runs.page({ action, limit: 10 })).length;
    expect((await runs("disk")) + (await runs("task-scan"))).toBe(name.startsWith("28587cf") ? 2 : 3);
    expect(await store.commit({})).toBe(1);
    await store.close();
  });

  it("lets the product start, and shows its roll, history and incidents", async () => {
    const home = homeWith(name);
    const running = await daemon(home);
    const { agents } = JSON.parse((await cli(home, "status", "--json")).stdout) as StatusJson;
    const states = Object.fromEntries(agents.map(({ id, state }) => [id, state]));
    expect(states).toMatchObject({ builder: "dead", writer: "paused", helper: "new" });
    expect(Object.keys(states)).toEqual(expect.arrayContaining(["allegro", "drifter", "stray", "porter"]));
    expect(await agentOf(running.url, "drifter")).toMatchObject({ origin: "config", rule: { every: "1h" } });
    expect((await cli(home, "flips", "builder")).stdout).toContain("dead");
    expect((await cli(home, "cycles", "allegro")).stdout).toContain("7");
    expect((await cli(home, "incidents", "list")).stdout).toMatch(/builder-\w+ +dead .* acknowledged/);
    await http(`${running.url}/beat/helper`);
    expect(await agentOf(running.url, "helper")).toMatchObject({ state: "alive" });
    expect(await running.end("SIGTERM")).toBe(0);
  });
});
