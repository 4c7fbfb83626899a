import { expect, it } from "vitest";
import { VirtualClock } from "../../test/virtual-clock.ts";
import { DAY, HOUR, MINUTE } from "../core/duration.ts";
import type { Observation } from "../core/liveness/observation.ts";
import { MARGIN } from "../core/rhythm/margin.ts";
import { memoryStore } from "../store/memory/memory.ts";
import { Watcher } from "./watcher.ts";

const START = Date.parse("2026-03-02T08:00:00Z");
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const AGENT = {
  id: "painter",
  group: "painters",
  signals: { log: "x" },
  origin: "config",
  addedAt: START,
} as const;

it("a stall that ends by itself makes the group more patient from the next day on, also for the next watcher", async () => {
  const clock = new VirtualClock(START);
  const store = memoryStore();
  const policy = { autoRegister: true, defaultRule: { every: HOUR, grace: HOUR }, agents: [AGENT] };
  const up = async () => {
    const watcher = await Watcher.load({ store, clock, log: SILENT, bootId: "b" }, policy);
    watcher.watch();
    await clock.run(0);
    return watcher;
  };
  const watcher = await up();
  const works = async () => {
    const at = clock.wall();
    const facts: Observation[] = [
      { kind: "present", signal: "process", at },
      { kind: "activity", signal: "log", at, seenAt: at, context: "tool" },
    ];
    await watcher.notice([{ agent: "painter", facts, memories: {} }]);
  };
  await works();
  await clock.run(2 * HOUR);
  expect(watcher.reader.place("painter")?.entry.standing.verdict.state).toBe("stalled");
  await works();
  expect(watcher.reader.place("painter")?.entry.standing.verdict.state).toBe("alive");
  for (let at = 0; at < DAY; at += 30 * MINUTE) {
    await works();
    await clock.run(30 * MINUTE);
  }
  const [norm] = await store.records.page("norm", { limit: 9 });
  expect(norm?.body).toMatchObject({ group: "painters", falseAlarms: 0 });
  expect(norm?.body.margin).toBeGreaterThan(MARGIN.start);
  await watcher.stop();
  await (await up()).stop();
  expect((await store.records.page("norm", { limit: 9 }))[0]?.body.margin).toBe(norm?.body.margin);
});
