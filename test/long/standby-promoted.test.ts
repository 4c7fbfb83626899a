// A PostgreSQL that fails over, under load, to a standby that lacks the last seconds.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Store } from "../../src/ports/store.ts";
import { openPostgres } from "../../src/store/postgres/index.ts";
import { BadNetwork } from "../../src/store/postgres/proxy.fixture.ts";
import { type TestServer, testServer, whyNoServer } from "../../src/store/postgres/server.fixture.ts";
import { hubsOn } from "../hub-pair.ts";
import { agentOf, cli, daemon, http, type RunningDaemon, temporaryHome, until } from "../product.ts";
import { troubleRows, troubleRowsIn } from "./trouble-rows.ts";

const why =
  process.env.ROLLCALL_TEST_PG === undefined ? whyNoServer() : "a server of your own has no standby";
const ROUNDS = Number(process.env.PROMOTIONS ?? 5);
const HOSTS = 6;

/** Beats that make the agent of every host fail and work again, until told to end. */
class Trouble {
  said = 0;
  #isOver = false;
  readonly #working: Promise<unknown>;

  constructor(hosts: readonly RunningDaemon[]) {
    this.#working = Promise.all(hosts.map((host) => this.#on(host)));
  }

  async #on({ url }: RunningDaemon): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      await http(`${url}/beat/bot?status=${turn % 2 === 0 ? "error" : "ok"}`);
      this.said += 1;
      await sleep(150);
    }
    await http(`${url}/beat/bot?status=ok`);
  }

  end(): Promise<unknown> {
    this.#isOver = true;
    return this.#working;
  }
}

/** The first number that a query finds, on the server that stands there. */
async function numberAt(schema: string, { url }: { readonly url: string }, sql: string): Promise<number> {
  const there = new URL(schema);
  there.port = new URL(url).port;
  const client = new pg.Client({ connectionString: there.href });
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: "array" });
    return Number(rows[0]?.[0]);
  } finally {
    await client.end();
  }
}

const FLIPS = "SELECT count(*) FROM flips";
/** How many facts of hosts are stored. Two hubs write that down: the owner with the host, others in the table of hosts that they heard. */
const TAKEN = `SELECT sum(greatest(intake.acked, (body::json->>'acked')::int8)) FROM records
  LEFT JOIN intake ON host = records.id WHERE kind = 'host'`;

/** How many facts a host knows to be stored. */
function acknowledgedTo(home: string): number {
  const db = new DatabaseSync(join(home, "rollcall.db"), { readOnly: true, returnArrays: true });
  try {
    return Number((db.prepare("SELECT acked FROM spool").get() as readonly unknown[])[0]);
  } finally {
    db.close();
  }
}

describe.skipIf(why !== undefined)(`PostgreSQL with a standby${why === undefined ? "" : ` (${why})`}`, () => {
  it(`that is promoted too early ${ROUNDS} times loses nothing of what hosts told, and doubles nothing`, {
    timeout: 1_200_000,
  }, async () => {
    let primary: TestServer = await testServer();
    const stop = { primary };
    onTestFinished(() => stop.primary.stop());
    const schema = await primary.schema();
    const network = await BadNetwork.before(schema);
    onTestFinished(() => network.close());
    const hubs = await hubsOn({ schema: async () => network.url });
    const pair = [await hubs.start(), await hubs.start()];
    const homes = Array.from({ length: HOSTS }, () => temporaryHome());
    const hosts: RunningDaemon[] = [];
    for (const [at, home] of homes.entries()) {
      const { stdout } = await cli(pair[at % 2]?.home ?? "", "hosts", "invite", `h${at}`);
      const [, , , code = ""] = stdout.trim().split(/\s+/);
      const joined = await cli(home, "join", pair[at % 2]?.url ?? "", code);
      expect(joined.status, joined.stderr).toBe(0);
      hosts.push(await daemon(home));
    }
    const trouble = new Trouble(hosts);
    let lost = 0;
    for (let round = 0; round < ROUNDS; round++) {
      if (primary.standby === undefined) throw new Error("this server has no standby");
      const standby = await primary.standby();
      const before = await numberAt(schema, standby, FLIPS);
      // Both have something new: the hosts talk to their hubs again, and the standby hears of it.
      await until(
        () => numberAt(schema, standby, FLIPS),
        (count) => count > before + HOSTS,
      );
      standby.fallBehind();
      await sleep(500 + 500 * round);
      await primary.crash?.();
      const acknowledged = homes.map(acknowledgedTo).reduce((a, b) => a + b);
      await standby.promote();
      lost += acknowledged - (await numberAt(schema, standby, TAKEN));
      network.lead(standby.url);
      await primary.stop();
      primary = standby;
      stop.primary = standby;
    }
    console.log(`${trouble.said} beats on hosts; ${ROUNDS} promotions lost ${lost} acknowledged facts`);
    expect(lost).toBeGreaterThan(0);
    await trouble.end();
    for (const at of homes.keys())
      await until(
        () => agentOf(pair[0]?.url ?? "", `bot@h${at}`).catch(() => undefined),
        (agent) => agent?.state === "alive",
      );
    for (const host of hosts) await host.end("SIGTERM");
    for (const hub of pair) expect(await hub.end("SIGTERM")).toBe(0);
    const store = (await openPostgres({ url: network.url })) as Store;
    for (const [at, home] of homes.entries()) {
      const here = await troubleRowsIn(home, "bot");
      expect(here.flips.length).toBeGreaterThan(ROUNDS);
      expect(await troubleRows(store, `bot@h${at}`, `@h${at}`), `host h${at}`).toStrictEqual(here);
    }
    await store.close();
  });
});
