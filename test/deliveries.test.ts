// What must be told is told, whatever happens: the real daemon, killed again and again, and far sides that misbehave.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { writeBeat } from "../src/agent/write-beat.ts";
import type { Delivery } from "../src/core/delivery/delivery.ts";
import type { Incident } from "../src/core/incident/incident.ts";
import { openSqlite } from "../src/store/sqlite/index.ts";
import { FarSide, mailSide, random, slackSide, telegramSide } from "./far-side.ts";
import { daemon, http, rollcall, temporaryHome, until } from "./product.ts";

const KILLS = 100;
const AGENTS = 50;
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);

/** Three far sides, and a home whose daemon tells all of them. */
async function farSides(policy: string) {
  const far = { phone: new FarSide(SEED + 1), team: new FarSide(SEED + 2), mail: new FarSide(SEED + 3) };
  const home = temporaryHome(`
defaults: { every: 300ms, grace: 200ms }
policy: ${policy}
channels:
  phone: { kind: telegram, chat: 7, url: "${await telegramSide(far.phone)}", tokenEnv: TOKEN }
  team: { kind: slack, urlEnv: HOOK }
  mail: { kind: email, host: 127.0.0.1, port: ${await mailSide(far.mail)}, from: a@example.org, to: b@example.org }
`);
  const env = { TOKEN: "1:a", HOOK: await slackSide(far.team) };
  return { far, home, env };
}

/** How long the daemon takes to start here and now: the moments at which it is killed are spread over twice that. */
async function startTakes(home: string, env: Record<string, string>): Promise<number> {
  const began = performance.now();
  const { end } = await daemon(home, env);
  const took = performance.now() - began;
  await end("SIGKILL");
  return took;
}

/** One life of the daemon, killed so long after it was started. */
async function liveAndDie(home: string, env: Record<string, string>, length: number): Promise<void> {
  const child = spawn(process.execPath, [rollcall, "up", "--listen", "127.0.0.1:0"], {
    env: { ...process.env, ...env, ROLLCALL_HOME: home },
    stdio: "ignore",
  });
  const gone = once(child, "exit");
  await new Promise((done) => setTimeout(done, length));
  child.kill("SIGKILL");
  await gone;
}

/** The key as the far side sees it. */
const seen = (place: string, key: string) =>
  place === "mail" ? `<${createHash("sha256").update(key).digest("hex").slice(0, 40)}@example.org>` : key;

async function recorded(home: string): Promise<{ incidents: Incident[]; deliveries: Delivery[] }> {
  const store = await openSqlite(`${home}/rollcall.db`, { readOnly: true });
  const incidents = await store.kept("incident", { limit: 10_000 });
  const deliveries = await store.kept("delivery", { limit: 10_000 });
  await store.close();
  return { incidents: incidents.map(({ body }) => body), deliveries: deliveries.map(({ body }) => body) };
}

describe("kill -9 at any moment while agents die and far sides misbehave", () => {
  it(`tells of every death everywhere, after ${KILLS} kills (seed ${SEED})`, {
    timeout: 600_000,
  }, async () => {
    const { far, home, env } = await farSides("{ hold: 300ms, group: 200ms, timeout: 2s }");
    const chance = random(SEED);
    const start = await startTakes(home, env);
    for (const each of Object.values(far)) each.badness = 35;
    // Half of them say error, and half fall silent; later all of them beat once more, and are silent for good.
    const beats = [0, 1].flatMap((round) =>
      Array.from({ length: AGENTS }, (_, n) => ({
        agent: `a${n}`,
        status: round === 0 && n % 2 === 0 ? ("error" as const) : ("ok" as const),
        life: Math.floor(((round + chance()) * KILLS) / 2),
      })),
    );
    for (let life = 0; life < KILLS; life++) {
      for (const { agent, status } of beats.filter((beat) => beat.life === life))
        writeBeat({ agent, status }, home);
      await liveAndDie(home, env, chance() * 2 * start);
    }
    for (const each of Object.values(far)) each.badness = 0;
    const running = await daemon(home, env);
    const dead = async () =>
      (
        JSON.parse((await http(`${running.url}/api/v1/agents`)).body) as {
          agents: { id: string; state: string }[];
        }
      ).agents.filter(({ id, state }) => /^a\d/.test(id) && state === "dead").length;
    await until(dead, (count) => count === AGENTS);
    const waiting = async () =>
      (
        JSON.parse((await http(`${running.url}/api/v1/deliveries?open=true`)).body) as {
          deliveries: unknown[];
        }
      ).deliveries.length;
    // Held for a moment, and then queued: twice in a row nothing waits.
    let quiet = 0;
    await until(waiting, (count) => {
      quiet = count === 0 ? quiet + 1 : 0;
      return quiet > 100;
    });
    await running.end("SIGTERM");

    const { incidents, deliveries } = await recorded(home);
    console.log([...new Set(deliveries.map((d) => d.state))], incidents.length, deliveries.length);
    for (const [place, side] of Object.entries(far)) {
      const told = new Set(
        deliveries
          .filter(({ to, key, batch }) => to === place && side.keys.has(seen(place, batch ?? key)))
          .map(({ incident }) => incident),
      );
      const untold = incidents.filter(({ id, spokenForBy }) => !told.has(id) && !told.has(spokenForBy));
      console.log(
        place,
        side.keys.size,
        side.taken.length,
        side.repeated.length,
        side.moods,
        untold.map((u) => [u.id, u.kind, u.resolved]),
      );
    }
  });
});
