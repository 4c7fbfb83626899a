// Hubs as real processes on one PostgreSQL, with a webhook and a forge that keep what they were told.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, onTestFinished } from "vitest";
import { BadNetwork } from "../src/store/postgres/proxy.fixture.ts";
import type { TestServer } from "../src/store/postgres/server.fixture.ts";
import { FakeForge } from "./fake-forge.ts";
import { oneFarSide } from "./far-side.ts";
import { daemon, http, type RunningDaemon, temporaryHome, until } from "./product.ts";

export interface RunningHub extends RunningDaemon {
  readonly home: string;
}

export const health = async ({ url }: RunningHub) => (await http(`${url}/healthz`)).json();

/** Makes hubs that share a store, a webhook and a forge. */
export async function hubsOn(server: Pick<TestServer, "schema">, more = "") {
  const url = await server.schema();
  const forge = await new FakeForge({ kind: "gitea" }).start();
  const { far, home, env } = await oneFarSide(`listen: 127.0.0.1:0
store: { url: "${url}" }
hub: { serve: true }
autoRegister: { perMinute: 1000 }
policy: { hold: 1s, group: 100ms }
forge: {kind: gitea, url: "${forge.url}", repo: org/fleet, tokenEnv: FORGE_TOKEN, incidents: {after: 1s, states: [failing]}}
heartbeat: {actions: [{name: issues, schedule: "* * * * * *"}]}
${more}`);
  const config = readFileSync(join(home, "rollcall.yaml"), "utf8");
  const start = async (at = temporaryHome(config), program?: string): Promise<RunningHub> => {
    const running = await daemon(at, { ...env, FORGE_TOKEN: forge.token }, {}, [], program);
    return { ...running, home: at };
  };
  /** A hub that reaches the database over a network that can fail. */
  const startBehind = async () => {
    const way = await BadNetwork.before(url);
    onTestFinished(() => way.close());
    const hub = await start(temporaryHome(config.replaceAll(url, way.url)));
    return { hub, way };
  };
  const ask = async (sql: string): Promise<unknown[][]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<unknown[]>({ text: sql, rowMode: "array" })).rows;
    } finally {
      await client.end();
    }
  };
  return { start, startBehind, far, forge, ask };
}

export type Hubs = Awaited<ReturnType<typeof hubsOn>>;

/** Which of two hubs owns the store. */
export async function ownerOf(hubs: readonly RunningHub[]): Promise<RunningHub> {
  return until(
    async () => {
      for (const hub of hubs) {
        const said = await health(hub).catch(() => ({ status: "gone" }));
        if (said.status === "ok") return hub;
      }
      return undefined;
    },
    (hub) => hub !== undefined,
  ) as Promise<RunningHub>;
}

/** Beats that go to any of the hubs, one after the other; those that were acknowledged are kept. */
export class Load {
  readonly acknowledged = new Set<string>();
  #isOver = false;
  readonly #working: Promise<unknown>;

  constructor(hubs: () => readonly RunningHub[], senders: number) {
    this.#working = Promise.all(Array.from({ length: senders }, (_, n) => this.#send(hubs, `load-${n}`)));
  }

  async #send(hubs: () => readonly RunningHub[], agent: string): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      const id = randomUUID();
      const all = hubs();
      const { url = "" } = all[turn % all.length] ?? {};
      const body = JSON.stringify({ id, agent });
      const sent = await http(`${url}/api/v1/beats`, { method: "POST", body }).catch(() => undefined);
      if (sent?.status === 204) this.acknowledged.add(id);
      else await sleep(20);
    }
  }

  /** Ends it, and compares what was acknowledged with what is stored, one by one. */
  async end({ ask }: Hubs): Promise<number> {
    this.#isOver = true;
    await this.#working;
    await until(
      () => ask("SELECT count(*) FROM inbox"),
      ([row]) => Number(row?.[0]) === 0,
    );
    const rows = await ask("SELECT id FROM beats WHERE agent LIKE 'load-%'");
    const stored = rows.map(([id]) => String(id));
    expect(new Set(stored).size).toBe(stored.length);
    const kept = new Set(stored);
    expect([...this.acknowledged].filter((id) => !kept.has(id))).toEqual([]);
    return this.acknowledged.size;
  }
}

/** A hub that a test kills again and again says so of itself, and is right. */
const isCrashLoop = (text: string) => /\d+ crashes within 10 minutes/.test(text);

/** Every one of these agents was told of, each message under one key, and has one issue; nothing else was told. */
export async function expectAllTold({ far, forge }: Hubs, agents: readonly string[]): Promise<number> {
  await until(
    () => agents.filter((id) => !far.taken.some(({ text }) => text.includes(id))),
    (missing) => missing.length === 0,
  );
  await until(
    () => forge.issues.filter(({ body }) => !isCrashLoop(body)).length,
    (count) => count >= agents.length,
  );
  const filed = forge.issues.filter(({ body }) => !isCrashLoop(body));
  expect(filed.map(({ title }) => /RCA-AGENT: (\S+)/.exec(title)?.[1]).sort()).toEqual([...agents].sort());
  const strange = far.taken.filter(
    ({ text }) => !isCrashLoop(text) && !agents.some((id) => text.includes(id)),
  );
  expect(strange).toEqual([]);
  const doubles = far.taken.length - far.keys.size;
  for (const id of agents) {
    const keys = far.taken.filter(({ text }) => text.includes(id)).map(({ key }) => key);
    expect(new Set(keys).size, `${id} was told under ${keys.join(", ")}`).toBe(1);
  }
  return doubles;
}
