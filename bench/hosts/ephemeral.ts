import { setTimeout as sleep } from "node:timers/promises";
import { testServer } from "../../src/store/postgres/server.fixture.ts";
import { VERSION } from "../../src/system/version.ts";
import { quantile } from "../load.ts";
import type { Result } from "../main.ts";
import { invited, killed, newHome, post, removed, rollcall, started, type Watching } from "./kit.ts";
import { entry, everything, hangUp, inLanes, memoryOf, type Pretended, report } from "./reports.ts";

const HOSTS = Number(process.env.HOSTS ?? 10_000);

/** Hosts that join two hubs with one key, report twice, say goodbye and are gone, as CI jobs do. */
export async function ephemeral(): Promise<Result[]> {
  const server = await testServer({ fsync: "on" });
  const config = `store: { url: "${await server.schema()}" }\nhub: { serve: true }\n`;
  const homes = [newHome(config), newHome(config)];
  const hubs: Watching[] = [];
  try {
    for (const home of homes) hubs.push(await started(home));
    for (const { child } of hubs) child.stdout?.resume();
    const [home = ""] = homes;
    const { code } = await invited(home, "ci", "--kind", "ephemeral", "--ttl", "1h");
    const hosts = Array.from({ length: HOSTS }, (_, n): Pretended => {
      return { name: `job${n}`, secret: "", acked: 0, seq: 0 };
    });
    const lives: number[] = [];
    const memory = memoryOf(hubs[0] as Watching);
    const began = performance.now();
    await inLanes(hosts, async (host, n) => {
      const hub = hubs[n % 2] as Watching;
      const at = performance.now();
      const asked = { code, name: host.name, version: VERSION, machine: host.name };
      const joined = await post(`${hub.url}/hub/v1/join`, asked);
      const job = { ...host, name: String(joined.host), secret: String(joined.token) };
      await report(hub, job, everything(job));
      while (job.acked < job.seq) await report(hub, job, []);
      await report(hub, job, [entry(job, 0)]);
      await report(hub, job, [], true);
      lives.push(performance.now() - at);
    });
    const took = (performance.now() - began) / 1000;
    const left = async () =>
      (JSON.parse(await rollcall(home, "hosts", "list", "--json")) as { hosts: unknown[] }).hosts;
    while ((await left()).length > 0) await sleep(1000);
    const gone = (performance.now() - began) / 1000 - took;
    const row = (name: string, ours: string, baseline: string): Result => ({
      ...{ name, ours, baseline, ratio: null, aim: "reported" },
    });
    return [
      row(
        `${HOSTS} ephemeral hosts join two hubs, work and leave`,
        `${took.toFixed(0)} s`,
        `one: median ${Math.round(quantile(lives, 0.5))} ms, p95 ${Math.round(quantile(lives, 0.95))} ms`,
      ),
      row("… until none of them is on the roll", `${gone.toFixed(0)} s`, "after the last goodbye"),
      row("… memory of the owner", `${memoryOf(hubs[0] as Watching)} MB`, `${memory} MB before`),
    ];
  } finally {
    for (const hub of hubs) await killed(hub);
    hangUp();
    await server.stop();
    for (const home of homes) removed(home);
  }
}
