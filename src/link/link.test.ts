import { expect, it } from "vitest";
import { VirtualClock } from "../../test/virtual-clock.ts";
import { MINUTE } from "../core/duration.ts";
import type { HostBatch } from "../core/host/batch.ts";
import type { HostFact } from "../core/host/fact.ts";
import { memoryStore } from "../store/memory/memory.ts";
import { CommandDesk, type Deeds } from "./command-desk.ts";
import { HubLink, type Reply } from "./link.ts";

const START = Date.parse("2026-03-02T08:00:00Z");
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const left = (at: number): HostFact => ({ k: "removed", at, agent: "bot" });

/** A link to a hub that answers as told. */
async function linked(answer: (batch: HostBatch) => Reply) {
  const clock = new VirtualClock(START);
  const { outgoing, commit } = memoryStore();
  let renewed = 0;
  const link = new HubLink({
    ...{ host: "web1", version: "0.1.0", boot: "b", outgoing, clock, log: SILENT },
    client: { send: async (batch) => answer(batch), commands: async () => undefined },
    desk: new CommandDesk({
      ...{ host: "web1", clock, deeds: {} as Deeds, records: [], allow: () => ["pause"] },
      persist: () => Promise.reject(new Error("the disk is full")),
    }),
    chance: () => 0.5,
    newId: () => "spool",
    onRenewed: () => {
      renewed += 1;
    },
  });
  await link.start();
  return { clock, outgoing, commit, link, renewed: () => renewed };
}

it("tells a hub that lost more than is kept how much that may be, and how everybody is", async () => {
  const sent: HostBatch[] = [];
  let acked = 0;
  const { clock, outgoing, commit, renewed } = await linked((batch) => {
    sent.push(batch);
    if (batch.from !== acked) return { resend: acked, renew: false };
    acked = batch.facts.at(-1)?.seq ?? acked;
    return { answer: { acked, commands: [] } };
  });
  await commit({ outgoing: [left(START), left(START), left(START)] });
  await clock.run(MINUTE);
  expect(acked).toBe(3);
  await outgoing.forget(2, START + 1);
  await outgoing.forget(3, START + 1);
  await commit({ outgoing: [left(START + 2)] });
  acked = 1;
  const before = renewed();
  await clock.run(MINUTE);
  const facts = sent.flatMap((batch) => (batch.from === 1 ? batch.facts : []));
  expect(facts.map(({ seq, fact }) => [seq, fact.k, "count" in fact ? fact.count : 0])).toStrictEqual([
    [3, "dropped", 2],
    [4, "removed", 0],
  ]);
  expect(renewed()).toBe(before + 1);
});

it("tells how everybody is also if the hub's answer to a loss is lost", async () => {
  let [acked, loses] = [0, false];
  const { clock, outgoing, commit, renewed } = await linked((batch) => {
    if (batch.from !== acked) return { resend: acked, renew: false };
    acked = batch.facts.at(-1)?.seq ?? acked;
    return loses && batch.facts.length > 0 ? { failed: "ETIMEDOUT" } : { answer: { acked, commands: [] } };
  });
  await commit({ outgoing: [left(START), left(START)] });
  await clock.run(MINUTE);
  await outgoing.forget(2, START + 1);
  const before = renewed();
  [acked, loses] = [0, true];
  await commit({ outgoing: [left(START + 2)] });
  await clock.run(MINUTE);
  expect([acked, renewed()]).toStrictEqual([3, before + 1]);
});

it("goes on when a command cannot be recorded", async () => {
  const command = { number: 1, name: "pause", target: "bot", by: "ada", ttl: MINUTE } as const;
  const { clock, link } = await linked(({ from }) => ({ answer: { acked: from, commands: [command] } }));
  await clock.run(MINUTE);
  expect(link.state.hub).toBe("in contact");
});
