import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { WIRE } from "../../src/core/host/batch.ts";
import type { HostFact } from "../../src/core/host/fact.ts";
import type { Store } from "../../src/ports/store.ts";
import { makeToken, tokenRecord } from "../../src/service/access/token-store.ts";
import { openPostgres } from "../../src/store/postgres/index.ts";
import { testServer } from "../../src/store/postgres/server.fixture.ts";
import { VERSION } from "../../src/system/version.ts";
import { recordOf } from "../../src/watch/mirror.ts";
import { quantile } from "../load.ts";
import type { Result } from "../main.ts";
import { AGENTS, cpuOver, killed, newHome, removed, started, type Watching } from "./kit.ts";

const HOSTS = Number(process.env.HOSTS ?? 5000);
const SECONDS = Number(process.env.HOSTS_SECONDS ?? 120);
/** Of each host so many agents have something new each minute. */
const ACTIVE = 4;
const MARK_EVERY = 15;

/** As much of a host as its hub sees: it sends reports to any hub, and goes on from the number in the answer. */
interface Pretended {
  readonly name: string;
  readonly secret: string;
  acked: number;
  seq: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Many hosts that report to two hubs on one PostgreSQL: what each costs, and how soon reports are taken after a take-over. */
export async function twoHubs(): Promise<Result[]> {
  const server = await testServer({ fsync: "on" });
  const url = await server.schema();
  const hosts = await enrolled(url);
  const config = `store: { url: "${url}" }\nhub: { serve: true }\n`;
  const homes = [newHome(config), newHome(config)];
  const hubs: Watching[] = [];
  try {
    for (const home of homes) hubs.push(await started(home));
    for (const { child } of hubs) child.stdout?.resume();
    await sleep(2000);
    const began = performance.now();
    await inLanes(hosts, (host, n) => report(hubs[n % 2], host, everything(host)));
    const joined = (performance.now() - began) / 1000;
    console.error(`bench: ${HOSTS * AGENTS} agents are known after ${joined.toFixed(0)} s`);
    const load = living(hosts, (n) => hubs[n % 2]);
    await sleep(15_000);
    const shares = await Promise.all(hubs.map((hub) => cpuOver(hub, SECONDS)));
    const memory = hubs.map(memoryOf);
    const token = readFileSync(join(homes[1] ?? "", "token"), "utf8").trim();
    let bytes = 0;
    const page = await timed(async () => {
      const text = await ask(hubs[1], "/api/v1/agents?limit=50", { token });
      bytes = Buffer.byteLength(text);
    });
    const { delays, failed } = await load.end();
    const [owner, other] = hubs;
    if (owner === undefined || other === undefined) throw new Error("there are no two hubs");
    await killed(owner);
    const reported = (host: Pretended | undefined) =>
      timed(async () => {
        while (host !== undefined && !(await report(other, host, [entry(host, 1)]).catch(() => false)))
          await sleep(20);
      });
    // One that the other hub knows already, and one that has only talked to the owner.
    const takeOver = await reported(hosts[1]);
    const strange = takeOver + (await reported(hosts[0]));
    const judging = await timed(async () => {
      while ((await ask(other, "/healthz").catch(() => "")).includes('"ok"') === false) await sleep(50);
    });
    const cpu = shares.reduce((a, b) => a + b);
    const agents = HOSTS * AGENTS;
    const row = (name: string, ours: string, baseline: string, aim: string): Result => ({
      ...{ name, ours, baseline, ratio: null, aim },
    });
    return [
      row(
        `two hubs, ${HOSTS} hosts of ${AGENTS} agents, share of a core over ${SECONDS} s`,
        `${(cpu * 100).toFixed(1)} %`,
        `owner ${((shares[0] ?? 0) * 100).toFixed(1)} %, other ${((shares[1] ?? 0) * 100).toFixed(1)} %`,
        "reported",
      ),
      row(
        "… CPU of both for an agent-hour",
        `${((cpu * 3_600_000) / agents).toFixed(2)} ms`,
        "–",
        "reported",
      ),
      row(
        "… a report until it is acknowledged, p95",
        `${Math.round(quantile(delays, 0.95))} ms`,
        `${delays.length} reports, ${failed} failed, median ${Math.round(quantile(delays, 0.5))} ms`,
        "reported",
      ),
      row("… memory of the owner", `${memory[0]} MB`, `${memory[1]} MB of the other`, "reported"),
      row(
        "… a page of the roll, from the other hub",
        `${Math.round(page)} ms`,
        `${Math.round(bytes / 1024)} KB`,
        "under 500 ms",
      ),
      row(
        "… a report after the owner was killed",
        `${Math.round(takeOver)} ms`,
        `${Math.round(strange)} ms if its host has talked only to the owner`,
        "under 2 s",
      ),
      row(
        "… until the other hub judges",
        `${((strange + judging) / 1000).toFixed(1)} s`,
        `loads ${agents} agents`,
        "reported",
      ),
    ];
  } finally {
    for (const hub of hubs) await killed(hub);
    agent.destroy();
    await server.stop();
    for (const home of homes) removed(home);
  }
}

/** Hosts that have joined: written by the store, because joining one by one is not what is measured. */
async function enrolled(url: string): Promise<readonly Pretended[]> {
  const store = (await openPostgres({ url, owner: "bench" })) as Store;
  const hosts: Pretended[] = [];
  const now = Date.now();
  for (let at = 0; at < HOSTS; at += 500) {
    const records = Array.from({ length: Math.min(500, HOSTS - at) }, (_, n) => {
      const name = `h${at + n}`;
      const { token, secret } = makeToken({ scope: "host", name: `host ${name}`, host: name }, now);
      hosts.push({ name, secret, acked: 0, seq: 0 });
      const known = { name, kind: "laptop" as const, joinedAt: now, token: token.id };
      return [tokenRecord(token), recordOf({ ...known, machine: name, version: VERSION, acked: 0 })];
    });
    await store.commit({ records: records.flat() });
  }
  await store.close();
  return hosts;
}

function entry(host: Pretended, n: number): HostFact {
  const at = Date.now();
  const said = {
    id: `bot${n}`,
    group: "bots",
    state: "alive",
    reason: "beat",
    why: `sent a beat at ${at}`,
  } as const;
  return { k: "entry", at, entry: { ...said, since: at - host.seq, lastBeatAt: at } };
}

function everything(host: Pretended): HostFact[] {
  const names = Array.from({ length: AGENTS }, (_, n) => n);
  const hello = { k: "hello", at: Date.now(), agents: names.map((n) => `bot${n}`) } as const;
  return [hello, ...names.map((n) => entry(host, n))];
}

/** Each host gives a sign of life every 15 s, and once a minute it has something to tell. */
function living(hosts: readonly Pretended[], hubOf: (n: number) => Watching | undefined) {
  let isOver = false;
  let failed = 0;
  const delays: number[] = [];
  const under = new Set<Promise<void>>();
  const began = performance.now();
  let turn = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1000) * (HOSTS / MARK_EVERY));
    for (; turn < due && !isOver; turn++) {
      const n = turn % HOSTS;
      const host = hosts[n] as Pretended;
      const tells = Math.floor(turn / HOSTS) % 4 === n % 4;
      const facts = tells ? Array.from({ length: ACTIVE }, (_, k) => entry(host, k)) : [];
      const at = performance.now();
      const sent = report(hubOf(n), host, facts).then(
        () => {
          delays.push(performance.now() - at);
        },
        () => {
          failed += 1;
        },
      );
      const done = sent.finally(() => under.delete(done));
      under.add(done);
    }
  }, 50);
  return {
    async end() {
      isOver = true;
      clearInterval(timer);
      await Promise.all(under);
      return { delays, failed };
    },
  };
}

async function report(
  hub: Watching | undefined,
  host: Pretended,
  facts: readonly HostFact[],
): Promise<boolean> {
  const numbered = facts.map((fact) => ({ seq: ++host.seq, fact }));
  const batch = {
    ...{
      v: WIRE,
      host: host.name,
      spool: `spool-${host.name}`,
      boot: "boot",
      version: VERSION,
      from: host.acked,
    },
    ...{ clock: { wall: Date.now(), uptime: 9_000_000 }, backlog: 0, facts: numbered },
  };
  const text = await ask(hub, "/hub/v1/facts", { body: JSON.stringify(batch), token: host.secret });
  host.acked = (JSON.parse(text) as { acked: number }).acked;
  return true;
}

function ask(
  hub: Watching | undefined,
  path: string,
  { body, token }: { readonly body?: string; readonly token?: string } = {},
): Promise<string> {
  return new Promise((done, failed) => {
    const headers = {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const sent = request(`${hub?.url}${path}`, {
      agent,
      method: body === undefined ? "GET" : "POST",
      headers,
    });
    sent.on("error", failed);
    sent.on("response", (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => {
        const text = Buffer.concat(parts).toString("utf8");
        if (answer.statusCode === 200) done(text);
        else failed(new Error(`${path}: ${answer.statusCode} ${text}`));
      });
    });
    sent.end(body);
  });
}

async function inLanes(hosts: readonly Pretended[], work: (host: Pretended, n: number) => Promise<unknown>) {
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < hosts.length; n = next++) {
      const host = hosts[n] as Pretended;
      // A hub that learns of a host for the first time takes everybody's first facts in two parts.
      do await work(host, n);
      while (host.acked < host.seq && host.acked === 0);
    }
  };
  await Promise.all(Array.from({ length: 32 }, lane));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function memoryOf({ child }: Watching): number {
  const line = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"));
  return Math.round(Number(line?.[1]) / 1024);
}
