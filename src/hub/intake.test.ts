import { expect, it } from "vitest";
import { MemoryInbox } from "../../test/memory-inbox.ts";
import { HOUR, MINUTE, SECOND } from "../core/duration.ts";
import type { HostBatch } from "../core/host/batch.ts";
import { HostWorld, HubWorld, VERSION } from "./fleet.fixture.ts";
import { Hub } from "./hub.ts";
import { InboxReader } from "./inbox-reader.ts";
import { Intake } from "./intake.ts";

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

/** An owner, and another hub that takes what its hosts and agents send. */
class PairWorld extends HubWorld {
  readonly inbox = new MemoryInbox(
    () => this.clock.uptime(),
    async () => (await this.store.records.one("inbox", "memory"))?.body.number ?? 0,
  );
  readonly other = new Intake(this.inbox, this.clock);
  reader!: InboxReader;
  /** Batches that came to the owner itself. */
  asked = 0;

  protected override async opened(): Promise<void> {
    const { clock } = this.life;
    const { records } = await this.store.load();
    const elsewhere = {
      catchUp: () => this.reader.catchUp(),
      forget: (host: string) => void this.inbox.forget([host]),
    };
    this.hub = new Hub({ watcher: this.watcher, clock, version: VERSION, elsewhere }, records);
    const { inbox, hub, watcher, store } = this;
    this.reader = new InboxReader({ inbox, hub, watcher, store, clock, log: SILENT });
    await this.reader.begin();
    watcher.isBehind = () => this.reader.isBehind;
  }

  /** As the hub that stands by does: it takes what it can, and learns from the owner. */
  async takeThere(batch: HostBatch) {
    const read = { ...batch, upTo: batch.facts.at(-1)?.seq ?? batch.from };
    const answer = await this.other.receive(read);
    if (answer !== undefined) return { answer };
    this.asked += 1;
    const reply = await this.take(batch);
    if ("answer" in reply && reply.answer.commands.length === 0 && reply.answer.watched === undefined)
      this.other.learn(read, reply.answer.acked);
    return reply;
  }

  beatThere(agent: string, id = `${agent} ${this.clock.uptime()}`) {
    const at = this.clock.wall() + HOUR;
    return this.other.accept([{ id, agent, source: "agent", status: "ok", sentAt: at, receivedAt: at }]);
  }
}

async function pair() {
  const hub = new PairWorld();
  await hub.up();
  await hub.join("web1");
  const host = new HostWorld(hub, "web1");
  host.send = (batch) => hub.takeThere(batch);
  await host.up();
  await host.beat("bot");
  await hub.clock.run(2 * MINUTE);
  return { hub, host };
}

it("takes a host's reports and signs of life for the owner, each fact once", async () => {
  const { hub, host } = await pair();
  const { asked } = hub;
  expect(hub.state("bot@web1")).toBe("alive beat");
  await host.beat("bot", { status: "error" });
  await hub.clock.run(20 * SECOND);
  expect(hub.state("bot@web1")).toBe("failing says-error");
  await hub.clock.run(10 * MINUTE);
  expect(hub.state("rollcall@web1")).toBe("alive beat");
  expect(hub.asked).toBe(asked);
  expect(hub.hub.one("web1")?.acked).toBe(hub.inbox.state.hosts.get("web1")?.acked);
  host.kill();
  await hub.clock.run(2 * MINUTE);
  expect(hub.state("rollcall@web1")).toBe("unknown host-out-of-contact");
  expect(await hub.flips("bot@web1")).toEqual(["new>alive", "alive>failing", "failing>unknown"]);
});

it("goes on taking while the owner is gone, and the next owner hears all of it before it judges", async () => {
  const { hub, host } = await pair();
  hub.kill();
  await host.beat("bot", { status: "error" });
  await hub.clock.run(40 * SECOND);
  expect(hub.inbox.state.rows.length).toBeGreaterThan(0);
  await hub.up();
  expect(hub.state("bot@web1")).toBe("failing says-error");
  await hub.clock.run(MINUTE);
  expect(hub.inbox.state.rows).toEqual([]);
  expect(await hub.flips("rollcall@web1")).toEqual(["new>alive"]);
});

it("lets a host change hubs between any two reports", async () => {
  const { hub, host } = await pair();
  const ways = [(batch: HostBatch) => hub.take(batch), (batch: HostBatch) => hub.takeThere(batch)];
  let turn = 0;
  host.send = (batch) => (ways[turn++ % 2] ?? hub.take)(batch);
  for (let n = 0; n < 10; n++) {
    await host.beat("bot", { status: n % 2 === 0 ? "error" : "ok" });
    await hub.clock.run(20 * SECOND);
  }
  await hub.clock.run(MINUTE);
  const there = await host.store.outgoing.spool();
  expect(hub.hub.one("web1")?.acked).toBe(there.last);
  const flips = await host.store.flips("bot", { limit: 100 });
  expect((await hub.flips("bot@web1")).length).toBe(flips.length);
});

it("sends a host back to the owner when somebody wants something of it, and when it is revoked", async () => {
  const { hub, host } = await pair();
  const asked = hub.hub.ask("web1", "pause", "bot", "me");
  await hub.clock.run(30 * SECOND);
  expect(await asked).toMatchObject({ end: "done" });
  await hub.clock.run(2 * MINUTE);
  const before = hub.asked;
  await hub.clock.run(2 * MINUTE);
  expect(hub.asked).toBe(before);
  await hub.hub.revoke("web1");
  await hub.clock.run(MINUTE);
  expect(host.link.state).toMatchObject({ hub: "refused" });
});

it("has facts sent again that a fail-over of the database lost", async () => {
  const { hub, host } = await pair();
  const known = hub.hub.one("web1");
  await host.beat("bot", { status: "error" });
  await hub.clock.run(10 * SECOND);
  // The owner starts again from what is left, and a hub that knew better has told so.
  hub.kill();
  const { inbox } = hub;
  inbox.state = { ...inbox.state, rows: [] };
  await hub.store.commit({
    records: [
      {
        kind: "host",
        id: "web1",
        at: 0,
        about: "web1",
        current: true,
        body: known as NonNullable<typeof known>,
      },
    ],
  });
  await hub.up();
  await host.beat("bot", { status: "ok" });
  await hub.clock.run(2 * MINUTE);
  expect(hub.hub.one("web1")?.acked).toBe((await host.store.outgoing.spool()).last);
  expect(await hub.flips("bot@web1")).toContain("alive>failing");
});

it("hears beats with the owner's time, each once, and nobody is judged by silence before that", async () => {
  const { hub } = await pair();
  await hub.watcher.add({
    id: "solo",
    rule: { every: 5 * MINUTE, grace: MINUTE },
    origin: "added",
    addedAt: hub.clock.wall(),
  });
  const began = hub.clock.wall();
  expect(await hub.beatThere("solo", "b1")).toBe(true);
  expect(await hub.beatThere("solo", "b1")).toBe(true);
  await hub.clock.run(SECOND);
  const beats = await hub.store.beats("solo", { limit: 10 });
  expect(beats.map(({ receivedAt }) => receivedAt)).toEqual([began]);
  // The inbox cannot be read for longer than the agent may be silent.
  const { inbox } = hub;
  const read = inbox.after.bind(inbox);
  inbox.after = async () => {
    throw new Error("no answer");
  };
  await hub.clock.run(4 * MINUTE);
  expect(await hub.beatThere("solo", "b2")).toBe(true);
  await hub.clock.run(3 * MINUTE);
  expect(hub.state("solo")).toBe("alive beat");
  inbox.after = read;
  await hub.clock.run(5 * SECOND);
  expect(hub.state("solo")).toBe("alive beat");
  await hub.clock.run(5 * MINUTE);
  expect(hub.state("solo")).toMatch(/^dead/);
});

it("takes nothing more when access has changed, and asks the owner", async () => {
  const { hub } = await pair();
  let told = 0;
  hub.other.onAccess = () => {
    told += 1;
  };
  await hub.inbox.changeAccess();
  expect(await hub.beatThere("solo")).toBeUndefined();
  expect(told).toBe(1);
  expect(await hub.beatThere("solo")).toBe(true);
});
