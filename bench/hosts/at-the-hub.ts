import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../load.ts";
import type { Result } from "../main.ts";
import {
  AGENTS,
  counted,
  cpuOver,
  invited,
  killed,
  newHome,
  removed,
  started,
  until,
  type Watching,
  type Wire,
} from "./kit.ts";
import { PretendHost } from "./pretend-host.ts";

const HOSTS = Number(process.env.HOSTS ?? 1000);
const MINUTES = Number(process.env.HOSTS_MINUTES ?? 10);

interface Fleet {
  hub: Watching;
  readonly home: string;
  readonly wire: Wire;
  readonly hosts: readonly PretendHost[];
}

/** What many hosts cost their hub, and how soon an open page shows what happens on one of them. */
export function hosts(): Promise<Result[]> {
  return withFleet(async ({ hub, home, wire, hosts }) => {
    const quiet = await cpuOver(hub, 15);
    const flipped = new Map<string, number>();
    const delays: number[] = [];
    const page = openPage(hub.url, home, flipped, delays);
    const living = everyMinute(hosts);
    const failing = setInterval(async () => {
      const at = performance.now();
      const id = await hosts[Math.floor(Math.random() * hosts.length)]?.flip();
      if (id !== undefined) flipped.set(id, at);
    }, 1000);
    const before = wire.count().bytes;
    const share = await cpuOver(hub, MINUTES * 60);
    const bytes = wire.count().bytes - before;
    for (const timer of [living, failing]) clearInterval(timer);
    await sleep(2000);
    page.destroy();
    const agentHours = (HOSTS * AGENTS * MINUTES) / 60;
    return [
      row(
        `hub, ${HOSTS} hosts of ${AGENTS} agents, share of a core over ${MINUTES} min`,
        `${(share * 100).toFixed(1)} %`,
        `${(quiet * 100).toFixed(1)} % with signs of life alone`,
        "reported",
      ),
      row(
        "… CPU time of the hub for an agent-hour",
        `${((share * MINUTES * 60_000) / agentHours).toFixed(1)} ms`,
        "–",
        "reported",
      ),
      row(
        "… bytes on the wire for an agent-hour, with HTTP headers, both ways",
        `${Math.round(bytes / agentHours)}`,
        "–",
        "reported",
      ),
      row(
        "… a flip on a host until the page's stream has it, p95",
        `${Math.round(quantile(delays, 0.95))} ms`,
        `${delays.length} flips, ${flipped.size} not seen, median ${Math.round(quantile(delays, 0.5))} ms`,
        "under 1 s",
        quantile(delays, 0.95) / 1000,
      ),
    ];
  });
}

/** How hosts come back to a hub that was down: when each is heard first, and when everything that waited is in. */
export function hostsReturn(): Promise<Result[]> {
  return withFleet(async (fleet) => {
    const { home, hosts } = fleet;
    const { port } = new URL(fleet.hub.url);
    await killed(fleet.hub);
    const living = everyMinute(hosts);
    const failing = setInterval(() => void hosts[Math.floor(Math.random() * hosts.length)]?.flip(), 1000);
    await sleep(MINUTES * 60_000);
    for (const timer of [living, failing]) clearInterval(timer);
    const waiting = (await Promise.all(hosts.map((host) => host.backlog()))).reduce((a, b) => a + b);
    for (const host of hosts) host.heardAt = undefined;
    fleet.hub = await started(home, port);
    const began = performance.now();
    await allIn(hosts);
    const took = (performance.now() - began) / 1000;
    const back = hosts.map(({ heardAt = began }) => (heardAt - began) / 1000);
    const perSecond = Array.from(
      { length: Math.ceil(took) },
      (_, at) => back.filter((t) => t >= at && t < at + 1).length,
    );
    return [
      row(
        `after ${MINUTES} min of downtime, ${HOSTS} hosts: until all ${waiting} facts are in`,
        `${took.toFixed(1)} s`,
        `half of the hosts are back after ${quantile(back, 0.5).toFixed(1)} s`,
        "under 60 s",
        took,
      ),
      row(
        "… hosts that come back within one second, at most",
        `${Math.max(...perSecond)}`,
        `${(HOSTS / took).toFixed(0)} if they were spread evenly`,
        `at most ${HOSTS / 10}`,
        Math.max(...perSecond),
      ),
    ];
  });
}

function row(name: string, ours: string, baseline: string, aim: string, value?: number): Result {
  return { name, ours, baseline, ratio: null, aim, ...(value === undefined ? {} : { value }) };
}

/** A hub and many hosts that have told it everything. */
async function withFleet(measure: (fleet: Fleet) => Promise<Result[]>): Promise<Result[]> {
  const home = newHome("hub: { serve: true }\n");
  const hub = await started(home);
  const wire = await counted(hub.url);
  const hosts: PretendHost[] = [];
  const fleet: Fleet = { hub, home, wire, hosts };
  try {
    const { code } = await invited(home, "fleet", "--kind", "ephemeral", "--ttl", "1d");
    for (let at = 0; at < HOSTS; at++) hosts.push(await PretendHost.join(wire.url, code, `h${at}`));
    await allIn(hosts);
    console.error(`bench: ${HOSTS} hosts have joined`);
    return await measure(fleet);
  } finally {
    await killed(fleet.hub);
    await Promise.all(hosts.map((host) => host.stop()));
    wire.close();
    removed(home);
  }
}

async function allIn(hosts: readonly PretendHost[]): Promise<void> {
  await until(async () => {
    for (const host of hosts) if (host.heardAt === undefined || (await host.backlog()) > 0) return false;
    return true;
  });
}

/** A part of each host's agents has something new each minute; not all hosts at the same moment. */
function everyMinute(hosts: readonly PretendHost[]): NodeJS.Timeout {
  let turn = 0;
  return setInterval(() => {
    for (let at = turn % 60; at < hosts.length; at += 60) void hosts[at]?.live();
    turn += 1;
  }, 1000);
}

/** A page that is open: notes how long each flip took to arrive. */
function openPage(url: string, home: string, flipped: Map<string, number>, delays: number[]) {
  const headers = { authorization: `Bearer ${readFileSync(join(home, "token"), "utf8").trim()}` };
  const stream = request(`${url}/api/v1/events`, { headers }, (response) => {
    const lines = createInterface({ input: response });
    lines.on("error", () => {});
    lines.on("line", (line) => {
      for (const [id, at] of flipped) {
        if (!line.includes(`"${id}"`)) continue;
        delays.push(performance.now() - at);
        flipped.delete(id);
      }
    });
  });
  stream.on("error", () => {});
  stream.end();
  return stream;
}
