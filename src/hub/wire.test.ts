// A hub understands what hosts of earlier versions send. Each version's batches are in test/fixtures/wire, as they were on the wire;
// RECORD_WIRE=1 writes those of this version anew.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOUR, MINUTE, SECOND } from "../core/duration.ts";
import { readBatch } from "../core/host/batch.ts";
import type { Recovery } from "../core/recovery/recovery.ts";
import { fleet, HubWorld, VERSION } from "./fleet.fixture.ts";

const FOLDER = new URL("../../test/fixtures/wire/", import.meta.url).pathname;

interface Recorded {
  /** What the host sent, and when, counted from the first. */
  readonly batches: readonly { readonly after: number; readonly batch: unknown }[];
  /** What the hub must know after it. */
  readonly roll: Readonly<Record<string, string>>;
  readonly flips: readonly string[];
  readonly told: readonly string[];
  readonly recoveries: readonly string[];
  readonly acked: number;
}

async function knows(hub: HubWorld): Promise<Omit<Recorded, "batches">> {
  const roll = Object.fromEntries(
    [...hub.watcher.reader.places()].map(({ agent }) => [agent.id, hub.state(agent.id) ?? ""]),
  );
  const recoveries = await hub.store.recoveries.page({ limit: 100, agent: "bot@web1" });
  return {
    roll,
    flips: await hub.flips("bot@web1"),
    told: await hub.told(),
    recoveries: recoveries.map(({ agent, state }) => `${agent} ${state}`),
    acked: hub.hub.one("web1")?.acked ?? 0,
  };
}

/** A day in the life of a host, with every kind of fact in it. */
async function record(): Promise<Recorded> {
  const { hub, host } = await fleet();
  const batches: { after: number; batch: unknown }[] = [];
  const began = hub.clock.wall();
  host.send = (batch) => {
    batches.push({ after: hub.clock.wall() - began, batch: JSON.parse(JSON.stringify(batch)) as unknown });
    return hub.take(batch);
  };
  await host.beat("bot");
  await host.beat("brief");
  await hub.clock.run(2 * MINUTE);
  await host.beat("bot", { status: "error", message: "disk full" });
  await hub.clock.run(MINUTE);
  const [incident] = await host.store.incidents.page({ limit: 1 });
  const now = hub.clock.wall();
  const recovery: Recovery = {
    ...{ id: "r1", incident: incident?.id ?? "", agent: "bot", do: "restart", step: 0, state: "done" },
    aim: { state: "failing", reason: "says-error" },
    why: "started again",
    ...{ plannedAt: now, startedAt: now, endedAt: now },
  };
  await host.watcher.persist({ recoveries: [{ recovery, counts: true }] });
  await host.beat("bot", { cycle: 7, action: "sync inbox" });
  await hub.clock.run(MINUTE);
  await host.watcher.remove("brief");
  host.kill();
  await hub.clock.run(30 * SECOND);
  host.boot = "second";
  await host.up();
  await hub.clock.run(HOUR);
  return { batches, ...(await knows(hub)) };
}

describe("the wire", () => {
  it.runIf(process.env.RECORD_WIRE === "1")("is recorded (only with RECORD_WIRE=1)", async () => {
    const recorded = await record();
    expect(recorded.batches.length).toBeGreaterThan(5);
    writeFileSync(join(FOLDER, `${VERSION}.json`), `${JSON.stringify(recorded, undefined, 1)}\n`);
  });

  it.each(readdirSync(FOLDER))("of %s is understood", async (file) => {
    const { batches, ...expected } = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Recorded;
    const hub = new HubWorld();
    await hub.up();
    await hub.join("web1");
    const began = hub.clock.wall();
    for (const { after, batch } of batches) {
      await hub.clock.run(Math.max(0, began + after - hub.clock.wall()));
      const read = readBatch(batch);
      expect(read).toBeTypeOf("object");
      const answer = hub.hub.receive(read as Exclude<typeof read, string>);
      await hub.clock.run(0);
      expect(await answer).toHaveProperty("acked");
    }
    expect(await knows(hub)).toStrictEqual(expected);
  });

  it("passes over kinds of facts of a later version, but counts them", async () => {
    const { hub, host } = await fleet();
    host.send = (batch) =>
      hub.take({
        ...batch,
        facts: batch.facts.map(({ seq, fact }) =>
          fact.k === "hello" ? { seq, fact: { ...fact, k: "dream" } as never } : { seq, fact },
        ),
      });
    await host.beat("bot");
    await hub.clock.run(MINUTE);
    expect(hub.state("bot@web1")).toBe("alive beat");
    expect(hub.hub.one("web1")?.acked).toBe((await host.store.outgoing.spool()).last);
  });
});
