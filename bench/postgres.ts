import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Beat } from "../src/core/beat.ts";
import type { Store } from "../src/ports/store.ts";
import { encode } from "../src/store/kit/encode.ts";
import { CommitStatements } from "../src/store/postgres/commit.ts";
import { PgConnection } from "../src/store/postgres/connection.ts";
import { dayOfBeat } from "../src/store/postgres/days.ts";
import { openPostgres } from "../src/store/postgres/index.ts";
import { type TestServer, testServer } from "../src/store/postgres/server.fixture.ts";
import { openSqlite } from "../src/store/sqlite/index.ts";
import { uuidv7 } from "../src/system/uuid.ts";
import { collected, startedIn } from "./beats-over-http.ts";
import { load, median } from "./load.ts";
import type { Result } from "./main.ts";

const BATCH = 64;
/** Shorter where a rough figure will do. */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const ROUND_MS = Number(process.env.ROUND_MS ?? 1500);
const CONNECTIONS = 8;

const AGENTS = Array.from({ length: 1000 }, (_, n) => `bench-${n}`);
const MESSAGE = "x".repeat(60);

/** Made in as little time as possible, which counts for both sides of each ratio. */
function beats(): Beat[] {
  const at = Date.now();
  const made: Beat[] = [];
  for (let cycle = 0; cycle < BATCH; cycle++) {
    const agent = AGENTS[Math.floor(Math.random() * AGENTS.length)] ?? "";
    const rest = {
      host: "bench-host",
      cycle,
      action: "sync inbox",
      message: MESSAGE,
      sentAt: at,
      receivedAt: at,
    };
    made.push({ id: uuidv7(), agent, source: "agent", status: "ok", ...rest });
  }
  return made;
}

/** How many beats a second `commit` takes, one commit after the other. */
async function rateOf(commit: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  let count = 0;
  while (performance.now() - began < ROUND_MS) {
    await commit();
    count += BATCH;
  }
  return count / ((performance.now() - began) / 1000);
}

/** The stores one after the other in each round, so that what else the machine does meets all of them. */
async function compare(ours: () => Promise<number>, others: () => Promise<number>) {
  const rates = { ours: [] as number[], others: [] as number[] };
  await others();
  await ours();
  for (let round = 0; round < ROUNDS; round++) {
    rates.others.push(await others());
    rates.ours.push(await ours());
  }
  const ratios = rates.ours.map((rate, n) => rate / (rates.others[n] ?? Number.NaN));
  return { ours: median(rates.ours), others: median(rates.others), ratio: median(ratios) };
}

const perSecond = (rate: number) => `${Math.round(rate)} beats/s`;

/** PostgreSQL against SQLite: commits of 64 beats, one statement against four, and the whole product over HTTP with one hub and with two. */
export async function postgres(): Promise<Result[]> {
  const commits = await onNewServer(stores);
  const statements = await onNewServer(oneOrFour);
  const overHttp = await onNewServer((server) => product(server, 1));
  const withTwo = await onNewServer((server) => product(server, 2));
  return [
    {
      name: "store on PostgreSQL, 64 beats a commit",
      ours: perSecond(commits.ours),
      baseline: `${perSecond(commits.others)} SQLite`,
      ratio: commits.ratio,
      aim: "at least 0.7",
    },
    {
      name: `a commit as one statement, ${CONNECTIONS} connections`,
      ours: perSecond(statements.ours),
      baseline: `${perSecond(statements.others)} as four`,
      ratio: statements.ratio,
      aim: "at least 1.5",
    },
    {
      name: "durable beats over HTTP on PostgreSQL, one hub, 64 connections",
      ours: perSecond(overHttp.ours),
      baseline: `${perSecond(overHttp.others)} SQLite`,
      ratio: overHttp.ratio,
      aim: "at least 0.45",
    },
    {
      name: "the same with two hubs, 32 connections each",
      ours: perSecond(withTwo.ours),
      baseline: `${perSecond(withTwo.others)} SQLite`,
      ratio: withTwo.ratio,
      aim: "at least 0.7",
    },
  ];
}

/** Another server would still be cleaning up after the comparison before. */
async function onNewServer<T>(compared: (server: TestServer) => Promise<T>): Promise<T> {
  const server = await warmServer();
  try {
    return await compared(server);
  } finally {
    await server.stop();
  }
}

async function stores(server: TestServer) {
  const home = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  const sqlite = await openSqlite(join(home, "rollcall.db"));
  const stored = (await openPostgres({ url: await server.schema(), owner: "bench" })) as Store;
  try {
    return await compare(
      () => rateOf(() => stored.commit({ beats: beats() })),
      () => rateOf(() => sqlite.commit({ beats: beats() })),
    );
  } finally {
    await Promise.all([sqlite.close(), stored.close()]);
    rmSync(home, { recursive: true, force: true });
  }
}

async function oneOrFour(server: TestServer) {
  const connections = await lanes(await server.schema());
  const all = async (one: (lane: Lane) => Promise<unknown>) =>
    (await Promise.all(connections.map((lane) => rateOf(() => one(lane))))).reduce((a, b) => a + b);
  try {
    return await compare(
      () => all(inOne),
      () => all(inFour),
    );
  } finally {
    await Promise.all(connections.map(({ on }) => on.close()));
  }
}

/** With the page cache that PostgreSQL has by default. */
async function warmServer(): Promise<TestServer> {
  const server = await testServer({ fsync: "on", min_wal_size: "512MB", shared_buffers: "128MB" });
  if (server.crash !== undefined) await warmUp(await server.schema());
  return server;
}

/** Files for so much of its log. */
const SEGMENTS = 24;

/**
 * A new server writes each file of its log twice: first as 16 MB of zeros. One that has run for a while writes over files that it
 * has, as SQLite does.
 */
async function warmUp(url: string): Promise<void> {
  const on = await PgConnection.open({ url });
  await on.run({ text: "CREATE TABLE warm (n int4)" });
  for (let n = 0; n < SEGMENTS; n++) {
    await on.run({ text: "INSERT INTO warm VALUES (1)" });
    await on.run({ text: "SELECT pg_switch_wal()" });
  }
  await on.run({ text: "CHECKPOINT", within: 60_000 });
  await on.close();
}

/** A watcher on SQLite against so many hubs on PostgreSQL, which share the load. */
async function product(server: TestServer, hubs: number) {
  const url = await server.schema();
  const shared = `store: { url: "${url}" }\nlisten: 127.0.0.1:0\n${hubs > 1 ? "hub: { serve: true }\n" : ""}`;
  const homes = ["", ...Array.from({ length: hubs }, () => shared)].map((config) => {
    const home = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
    writeFileSync(join(home, "rollcall.yaml"), `autoRegister: { perMinute: 1000 }\n${config}`);
    return home;
  });
  const started: Awaited<ReturnType<typeof startedIn>>[] = [];
  try {
    for (const home of homes) {
      const one = await startedIn(home);
      one.child.stdout?.resume();
      started.push(one);
    }
    await collected();
    const [others, ...ours] = started;
    const all = async () =>
      (await Promise.all(ours.map((hub) => load(hub.url, BATCH / hubs, ROUND_MS / 1000)))).reduce(
        (a, b) => a + b,
      );
    return await compare(all, () => load(others?.url ?? "", BATCH, ROUND_MS / 1000));
  } finally {
    const gone = started.map(({ child }) => new Promise((done) => child.once("exit", done)));
    for (const { child } of started) child.kill();
    await Promise.all(gone);
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  }
}

/** A part of the fleet with a connection of its own. */
interface Lane {
  readonly on: PgConnection;
  readonly part: number;
  readonly statements: CommitStatements;
  number: number;
}

async function lanes(url: string): Promise<readonly Lane[]> {
  const store = (await openPostgres({ url, owner: "bench" })) as Store;
  await store.commit({ beats: beats() });
  await store.close();
  const parts = Array.from({ length: CONNECTIONS }, (_, n) => n + 1);
  const made = await Promise.all(
    parts.map(async (part): Promise<Lane> => {
      const on = await PgConnection.open({ url });
      return { on, part, statements: new CommitStatements(), number: 0 };
    }),
  );
  for (const { on, part } of made)
    await on.run({ text: "INSERT INTO partitions (id) VALUES ($1)", values: [part] });
  return made;
}

function inOne(lane: Lane): Promise<unknown> {
  const prepared = lane.statements.prepare(encode({ beats: beats() }));
  return lane.on.run(prepared.statement({ part: lane.part, epoch: 0, number: ++lane.number, lease: 10 }));
}

/** The same as a transaction of four statements, each of which waits for the one before. */
async function inFour(lane: Lane): Promise<unknown> {
  const { on, part } = lane;
  const made = beats();
  const number = ++lane.number;
  await on.run({ text: "BEGIN" });
  await on.run({
    name: "fence",
    text: `UPDATE partitions SET no = $2, ids = ids + 65, expires = clock_timestamp() + interval '10 s'
      WHERE id = $1 AND epoch = 0 AND no = $2::int8 - 1 RETURNING no`,
    values: [part, number],
  });
  await on.run({
    name: "rows",
    text: `WITH c AS (INSERT INTO commits VALUES ($1, $2, $2, $3))
      INSERT INTO beats (part, no, ord, id, agent, received_at, body, day)
      SELECT $1, $2, ord, id, agent, at, body, day FROM unnest($4::text[], $5::text[], $6::float8[], $7::text[], $8::int4[])
      WITH ORDINALITY AS t(id, agent, at, body, day, ord) ON CONFLICT DO NOTHING`,
    values: [
      ...[part, number, JSON.stringify({ agents: made.map(({ agent }) => agent) })],
      made.map(({ id }) => id),
      made.map(({ agent }) => agent),
      made.map(({ receivedAt }) => receivedAt),
      made.map((beat) => JSON.stringify(beat)),
      made.map(({ id, receivedAt }) => dayOfBeat(id, receivedAt)),
    ],
  });
  return on.run({ text: "COMMIT" });
}
