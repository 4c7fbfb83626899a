import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FULL_TRUST } from "../../src/core/liveness/trust.ts";
import type { Store } from "../../src/ports/store.ts";
import { makeToken, tokenRecord } from "../../src/service/access/token-store.ts";
import { openPostgres } from "../../src/store/postgres/index.ts";
import { testServer } from "../../src/store/postgres/server.fixture.ts";
import { VERSION } from "../../src/system/version.ts";
import { agentForHost, agentOfHost, markOf, recordOf, withVerdict } from "../../src/watch/mirror.ts";
import { judged, newPlace, notice } from "../../src/watch/roll-place.ts";
import { quantile } from "../load.ts";
import type { Result } from "../main.ts";
import { AGENTS, cpuOver, killed, newHome, removed, rollcall, started, until, type Watching } from "./kit.ts";
import { ask, entry, entryOf, hangUp, memoryOf, type Pretended, report, spoken, timed } from "./reports.ts";

const HOSTS = Number(process.env.HOSTS ?? 5000);
const SECONDS = Number(process.env.HOSTS_SECONDS ?? 120);
/** Of each host so many agents have something new each minute. */
const ACTIVE = 4;
const MARK_EVERY = 15;
/** Hosts in one commit. */
const SEEDED = 100;

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
    await until(async () => isJudging(await ask(hubs[0], "/healthz")));
    console.error(`bench: the owner has loaded ${HOSTS * AGENTS} agents`);
    const load = living(hosts, (n) => hubs[n % 2]);
    // Each host reports once, so that the hubs know all of them.
    await sleep(MARK_EVERY * 1000 * 1.2);
    const shares = await Promise.all(hubs.map((hub) => cpuOver(hub, SECONDS)));
    const memory = hubs.map(memoryOf);
    const token = readFileSync(join(homes[1] ?? "", "token"), "utf8").trim();
    let bytes = 0;
    const page = await timed(async () => {
      const text = await ask(hubs[1], "/api/v1/agents?limit=50", { token });
      bytes = Buffer.byteLength(text);
    });
    let said = "";
    const status = await timed(async () => {
      said = await rollcall(homes[1] ?? "", "status", "--host", "h1");
    });
    const { delays, failed, putOff } = await load.end();
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
      while (!isJudging(await ask(other, "/healthz").catch(() => ""))) await sleep(50);
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
        `${delays.length} reports, ${failed} failed, ${putOff} put off, median ${Math.round(quantile(delays, 0.5))} ms`,
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
        "… rollcall status --host h1, on the other hub",
        `${Math.round(status)} ms`,
        `${Math.round(Buffer.byteLength(said) / 1024)} KB`,
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
    hangUp();
    await server.stop();
    for (const home of homes) removed(home);
  }
}

const isJudging = (said: string) => said.includes('"ok"');

/**
 * Hosts that have joined and told everything of their agents. The store writes what the hub would have written: a million agents
 * that introduce themselves take longer than everything that is measured here.
 */
async function enrolled(url: string): Promise<readonly Pretended[]> {
  const store = (await openPostgres({ url, owner: "bench" })) as Store;
  const hosts: Pretended[] = [];
  const now = Date.now();
  const began = performance.now();
  for (let at = 0; at < HOSTS; at += SEEDED) {
    const changes = Array.from({ length: Math.min(SEEDED, HOSTS - at) }, (_, n) => seeded(`h${at + n}`, now));
    hosts.push(...changes.map(({ host }) => host));
    await store.commit({
      records: changes.flatMap(({ records }) => records),
      agents: changes.flatMap(({ places }) => places.map(({ agent }) => agent)),
      entries: changes.flatMap(({ places }) => places.map(({ entry }) => entry)),
    });
  }
  await store.close();
  console.error(
    `bench: ${HOSTS} hosts are written after ${((performance.now() - began) / 1000).toFixed(0)} s`,
  );
  return hosts;
}

/** A host, and its agents' places on the roll as its first report makes them. */
function seeded(name: string, now: number) {
  const { token, secret } = makeToken({ scope: "host", name: `host ${name}`, host: name }, now);
  const facts = AGENTS + 1;
  const host: Pretended = { name, secret, acked: facts, seq: facts };
  const joined = { name, kind: "laptop" as const, joinedAt: now, token: token.id, machine: name };
  const known = { ...joined, ...spoken(name), version: VERSION, acked: facts };
  const own = notice(newPlace(agentForHost(known)), [markOf(now)], {}, FULL_TRUST, now);
  const mirrored = Array.from({ length: AGENTS }, (_, n) => {
    const told = entryOf(host, n);
    return withVerdict(newPlace(agentOfHost(told, known, 0, now)), told, 0, now);
  });
  const places = [own, ...mirrored].map((place) => judged(place, now, FULL_TRUST).place);
  return { host, records: [tokenRecord(token), recordOf(known)], places };
}

/**
 * Each host gives a sign of life every 15 s, and once a minute it has something to tell. A host whose last report was not answered
 * yet puts the next one off, as the product's own hosts do.
 */
function living(hosts: readonly Pretended[], hubOf: (n: number) => Watching | undefined) {
  let isOver = false;
  let failed = 0;
  let putOff = 0;
  const delays: number[] = [];
  const under = new Map<Pretended, Promise<void>>();
  const began = performance.now();
  let turn = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1000) * (HOSTS / MARK_EVERY));
    for (; turn < due && !isOver; turn++) {
      const n = turn % HOSTS;
      const host = hosts[n] as Pretended;
      if (under.has(host)) {
        putOff += 1;
        continue;
      }
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
      under.set(
        host,
        sent.finally(() => under.delete(host)),
      );
    }
  }, 50);
  return {
    async end() {
      isOver = true;
      clearInterval(timer);
      await Promise.all(under.values());
      return { delays, failed, putOff };
    },
  };
}
