import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../test/virtual-clock.ts";
import { HOUR, MINUTE } from "../core/duration.ts";
import type { HostBatch } from "../core/host/batch.ts";
import type { HostFact } from "../core/host/fact.ts";
import { memoryStore } from "../store/memory/memory.ts";
import { CommandDesk, type Deeds } from "./command-desk.ts";
import { CutOff } from "./cut-off.ts";
import { HubLink, type LinkOptions, type Reply } from "./link.ts";

const START = Date.parse("2026-03-02T08:00:00Z");
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const left = (at: number): HostFact => ({ k: "removed", at, agent: "bot" });

/** A link to a hub that answers as told. */
async function linked(
  answer: (batch: HostBatch) => Reply,
  more: { clock?: VirtualClock } & Pick<LinkOptions, "onState" | "onRenamed"> = {},
) {
  const { clock = new VirtualClock(START), ...options } = more;
  const { outgoing, commit } = memoryStore();
  let renewed = 0;
  const link = new HubLink({
    ...{ host: "web1", version: "0.1.0", boot: "b", life: "l", outgoing, clock, log: SILENT },
    client: { send: async (batch) => answer(batch), commands: async () => undefined },
    desk: new CommandDesk({
      ...{ host: "web1", clock, deeds: {} as Deeds, records: [], allow: () => ["pause"] },
      persist: () => Promise.reject(new Error("the disk is full")),
    }),
    chance: () => 0.5,
    newId: () => "spool",
    ...options,
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

it("speaks under the name that the hub gave it, and tells of each new one once", async () => {
  const names: string[] = [];
  const sent: string[] = [];
  let host = "web1";
  const { clock } = await linked(
    (batch) => {
      sent.push(batch.host);
      return { answer: { acked: 0, commands: [], host } };
    },
    { onRenamed: (name) => names.push(name) },
  );
  await clock.run(MINUTE);
  expect(names).toStrictEqual([]);
  host = "web-eu";
  await clock.run(MINUTE);
  host = "../no name";
  await clock.run(MINUTE);
  expect(names).toStrictEqual(["web-eu"]);
  expect([sent[0], sent.at(-1)]).toStrictEqual(["web1", "web-eu"]);
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

describe("a host that cannot reach its hub", () => {
  const cutOff = { after: 10 * MINUTE, tell: ["ops"] };

  /** A host whose hub can be taken away, and what its own channels say. */
  async function watched() {
    let [down, settings] = [false, cutOff as typeof cutOff | undefined];
    const told: string[] = [];
    const clock = new VirtualClock(START);
    const watching = new CutOff({
      clock,
      settings: () => settings,
      tell: (to, says, isOver) => told.push(`${to.join()}: ${says}${isOver ? " (over)" : ""}`),
    });
    await linked(
      ({ from }) => (down ? { failed: "ECONNREFUSED" } : { answer: { acked: from, commands: [] } }),
      { clock, onState: (state) => watching.note(state) },
    );
    return {
      ...{ clock, told },
      cut: (yes: boolean) => {
        down = yes;
      },
      set: (next: typeof settings) => {
        settings = next;
      },
    };
  }

  it("says so once after its time, and once that it is over", async () => {
    const { clock, told, cut } = await watched();
    await clock.run(MINUTE);
    cut(true);
    await clock.run(9 * MINUTE);
    expect(told).toStrictEqual([]);
    await clock.run(2 * HOUR);
    expect(told).toStrictEqual([
      expect.stringMatching(/^ops: has not reached its hub for 10 .*ECONNREFUSED/),
    ]);
    cut(false);
    await clock.run(2 * MINUTE);
    expect(told.slice(1)).toStrictEqual(["ops: reports to its hub again (over)"]);
  });

  it("says nothing of a short cut, nor without the setting, which may come later", async () => {
    const { clock, told, cut, set } = await watched();
    for (let turn = 0; turn < 5; turn++) {
      cut(true);
      await clock.run(5 * MINUTE);
      cut(false);
      await clock.run(5 * MINUTE);
    }
    set(undefined);
    cut(true);
    await clock.run(HOUR);
    expect(told).toStrictEqual([]);
    set(cutOff);
    await clock.run(MINUTE);
    expect(told).toHaveLength(1);
  });
});
