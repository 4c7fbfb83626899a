import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { agentOf, cli, daemon, http, type RunningDaemon, temporaryHome, until } from "../product.ts";
import { troubleRowsIn } from "./trouble-rows.ts";

const KILLS = 100;
const HOSTS = 20;
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);

/** Numbers that are the same again for the same seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

it(`loses nothing and doubles nothing in ${KILLS} kills of ${HOSTS} hosts and their hub (seed ${SEED})`, {
  timeout: 3_600_000,
}, async () => {
  const random = chance(SEED);
  const pick = (most: number) => Math.floor(random() * most);
  const hubHome = temporaryHome();
  // A fixed port: the hosts must find the hub that comes back.
  const first = await daemon(hubHome, {}, {}, ["--hub"]);
  const { port } = new URL(first.url);
  await first.end("SIGTERM");
  writeFileSync(join(hubHome, "rollcall.yaml"), `hub: { serve: true, url: "http://127.0.0.1:${port}" }\n`);
  const upHub = () => daemon(hubHome, {}, {}, ["--listen", `127.0.0.1:${port}`]);
  let hub = await upHub();
  const homes: string[] = [];
  const hosts: RunningDaemon[] = [];
  for (let at = 0; at < HOSTS; at++) {
    const home = temporaryHome();
    const { stdout, stderr } = await cli(hubHome, "hosts", "invite", `h${at}`);
    const joined = await cli(home, ...stdout.trim().split(/\s+/).slice(1));
    expect(joined.status, stderr + joined.stderr).toBe(0);
    homes.push(home);
    hosts.push(await daemon(home));
  }
  let ended = false;
  let said = 0;
  const talk = async () => {
    for (let turn = 0; !ended; turn++) {
      const url = hosts[turn % HOSTS]?.url ?? "";
      const status = random() < 0.5 ? "error" : "ok";
      await http(`${url}/beat/bot?status=${status}`).then(
        () => {
          said += 1;
        },
        () => {},
      );
      await sleep(20);
    }
  };
  const talking = talk();
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(pick(800));
    if (pick(5) === 0) {
      await hub.end("SIGKILL");
      hub = await upHub();
    } else {
      const victim = pick(HOSTS);
      await hosts[victim]?.end("SIGKILL");
      hosts[victim] = await daemon(homes[victim] ?? "");
    }
  }
  ended = true;
  await talking;
  expect(said).toBeGreaterThan(KILLS);
  for (const { url } of hosts) await http(`${url}/beat/bot?status=ok`);
  // Facts come in their order, so a hub that has the host's last change has everything.
  for (const [at, { url }] of hosts.entries()) {
    const here = await agentOf(url, "bot");
    expect(here?.state).toBe("alive");
    await until(
      () => agentOf(hub.url, `bot@h${at}`),
      (agent) => agent?.state === "alive" && agent.since === here?.since,
    );
  }
  await hub.end("SIGTERM");
  for (const host of hosts) await host.end("SIGTERM");
  let rows = 0;
  for (const [at, home] of homes.entries()) {
    const here = await troubleRowsIn(home, "bot");
    rows += here.flips.length + here.incidents.length;
    expect(await troubleRowsIn(hubHome, `bot@h${at}`, `@h${at}`), `host h${at}`).toStrictEqual(here);
  }
  expect(rows).toBeGreaterThan(HOSTS);
});
