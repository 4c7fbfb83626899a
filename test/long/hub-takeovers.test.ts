// Owners that are killed, frozen, stopped, and a database that crashes: fifty rounds each, under load.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BadNetwork } from "../../src/store/postgres/proxy.fixture.ts";
import { type TestServer, testServer, whyNoServer } from "../../src/store/postgres/server.fixture.ts";
import { random } from "../far-side.ts";
import { expectAllTold, type Hubs, health, hubsOn, Load, ownerOf, type RunningHub } from "../hub-pair.ts";
import { http, until } from "../product.ts";

const why = whyNoServer();
const ROUNDS = Number(process.env.ROUNDS ?? 50);
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);

describe.skipIf(why !== undefined)(
  `hubs on PostgreSQL, seed ${SEED}${why === undefined ? "" : ` (${why})`}`,
  () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await testServer();
    });
    afterAll(() => server.stop());

    /** Each round an agent fails, and at a moment by chance something happens to the owner. */
    const rounds = async (count: number, harm: (owner: RunningHub, hubs: Hubs) => Promise<RunningHub>) => {
      const chance = random(SEED);
      const hubs = await hubsOn(server);
      const pair = [await hubs.start(), await hubs.start()];
      await http(`${pair[1]?.url}/beat/early`);
      const load = new Load(() => pair, 4);
      const agents: string[] = [];
      for (let round = 0; round < count; round++) {
        const id = `bot-${String(round).padStart(3, "0")}`;
        const { url } = pair[Math.floor(chance() * 2)] ?? pair[0] ?? { url: "" };
        await until(
          () => http(`${url}/beat/${id}?status=error`).catch(() => ({ status: 0 })),
          ({ status }) => status === 200,
        );
        agents.push(id);
        const owner = await ownerOf(pair);
        await sleep(chance() * 1500);
        pair[pair.indexOf(owner)] = await harm(owner, hubs);
        const [next] = pair;
        await until(
          () => http(`${next?.url}/beat/probe`).catch(() => ({ status: 0 })),
          ({ status }) => status === 200,
        );
      }
      const doubles = await expectAllTold(hubs, agents);
      const taken = await load.end(hubs);
      expect(taken).toBeGreaterThan(count);
      console.log(`${count} rounds: ${taken} beats acknowledged, ${doubles} messages twice under their key`);
      return doubles;
    };
    const timeout = 3_600_000;

    it(`lose nothing when the owner is killed ${ROUNDS} times`, { timeout }, async () => {
      const doubles = await rounds(ROUNDS, async (owner, hubs) => {
        await owner.end("SIGKILL");
        return hubs.start(owner.home);
      });
      expect(doubles).toBeLessThanOrEqual(Math.max(1, ROUNDS * 0.02));
    });

    it(`lose nothing when the owner is frozen and wakes up ${Math.ceil(ROUNDS / 5)} times`, {
      timeout,
    }, async () => {
      await rounds(Math.ceil(ROUNDS / 5), async (owner) => {
        owner.child.kill("SIGSTOP");
        await sleep(12_000);
        owner.child.kill("SIGCONT");
        return owner;
      });
    });

    it("lose nothing when the owner's network to the database is cut 5 times", { timeout }, async () => {
      const hubs = await hubsOn(server);
      const both = [await hubs.startBehind(), await hubs.startBehind()];
      const pair = both.map(({ hub }) => hub);
      await http(`${pair[1]?.url}/beat/early`);
      const load = new Load(() => pair, 4);
      const agents: string[] = [];
      const waits: number[] = [];
      for (let round = 0; round < 5; round++) {
        const id = `bot-${round}`;
        await until(
          () => http(`${pair[0]?.url}/beat/${id}?status=error`).catch(() => ({ status: 0 })),
          ({ status }) => status === 200,
        );
        agents.push(id);
        const owner = await ownerOf(pair);
        const [epoch] = await hubs.ask("SELECT epoch FROM partitions");
        const way = both.find(({ hub }) => hub === owner)?.way as BadNetwork;
        const began = performance.now();
        way.mode = "hang";
        // The database's own word, not that of the hub that is cut off.
        await until(
          () => hubs.ask("SELECT epoch FROM partitions"),
          ([now]) => now?.[0] !== epoch?.[0],
        );
        waits.push((performance.now() - began) / 1000);
        const [next] = pair.filter((hub) => hub !== owner);
        await until(
          () => http(`${next?.url}/beat/probe`).catch(() => ({ status: 0 })),
          ({ status }) => status === 200,
        );
        way.mode = "pass";
        await until(
          () => health(owner).catch(() => ({ status: "away" })),
          ({ status }) => status === "standby",
        );
      }
      await expectAllTold(hubs, agents);
      const taken = await load.end(hubs);
      expect(taken).toBeGreaterThan(5);
      console.log(
        `cut 5 times: ${taken} beats acknowledged, taken over after ${waits.map((s) => s.toFixed(1)).join(", ")} s`,
      );
    });

    it(`tell nothing of themselves when they are restarted in turn ${ROUNDS} times`, {
      timeout,
    }, async () => {
      const doubles = await rounds(ROUNDS, async (owner, hubs) => {
        expect(await owner.end("SIGTERM")).toBe(0);
        return hubs.start(owner.home);
      });
      expect(doubles).toBe(0);
    });

    it("lose nothing when the database crashes 20 times", { timeout }, async (context) => {
      const { crash, start } = server;
      if (crash === undefined || start === undefined) return context.skip("this server is not ours to end");
      await rounds(20, async (owner) => {
        await crash();
        await start();
        return owner;
      });
    });

    it("tell once that they are blind, and once that they see again, when the database is away for longer", {
      timeout,
    }, async (context) => {
      const { crash, start } = server;
      if (crash === undefined || start === undefined) return context.skip("this server is not ours to end");
      const hubs = await hubsOn(server);
      const pair = [await hubs.start(), await hubs.start()];
      await http(`${pair[1]?.url}/beat/early`);
      const load = new Load(() => pair, 4);
      await crash();
      await until(
        () => hubs.far.titles,
        (titles) => titles.length > 0,
      );
      await start();
      await until(
        () => hubs.far.titles,
        (titles) => titles.length > 1,
      );
      await load.end(hubs);
      expect(hubs.far.titles).toEqual([
        expect.stringContaining("watcher blind"),
        expect.stringContaining("can store again"),
      ]);
    });
  },
);
