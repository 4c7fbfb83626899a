import { expect, test } from "vitest";
import { VirtualClock } from "../../test/virtual-clock.ts";
import type { Beat } from "../core/beat.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../core/duration.ts";
import { memoryStore } from "../store/memory/memory.ts";
import { Watcher } from "../watch/watcher.ts";
import { prunes } from "./pruning.ts";

const START = Date.parse("2026-03-02T08:00:00Z");
const LOG = { info: () => {}, warn: () => {}, error: () => {} };
const RETENTION = { beats: 30 * DAY, flips: 400 * DAY };

let count = 0;
function beat(at: number): Beat {
  count += 1;
  const id = `00000000-0000-7000-8000-${String(count).padStart(12, "0")}`;
  return { id, agent: "a", source: "agent", status: "ok", sentAt: at, receivedAt: at };
}

/** A watcher on this store that starts with its clock at `wall`, runs for a while, and ends. */
async function life(store: ReturnType<typeof memoryStore>, wall: number, length: number, boot: string) {
  const clock = new VirtualClock(wall);
  const rule = { every: HOUR, grace: HOUR };
  const watcher = await Watcher.load(
    { store, clock, log: LOG, bootId: boot },
    { autoRegister: true, defaultRule: rule, agents: [] },
  );
  watcher.watch();
  const pruning = prunes({ store, clock, watcher, retention: () => RETENTION });
  await clock.run(10 * SECOND);
  await watcher.accept([beat(clock.wall())]);
  await clock.run(length);
  pruning.stop();
  const stopped = watcher.stop();
  await clock.run(SECOND);
  await stopped;
}

const beatsIn = async (store: ReturnType<typeof memoryStore>) =>
  (await store.beats("a", { limit: 100 })).length;

test("a clock 401 days ahead erases nothing, however often a watcher starts with it", async () => {
  const store = memoryStore();
  for (let day = 0; day < 5; day++) await life(store, START + day * HOUR, MINUTE, `right-${day}`);
  expect(await beatsIn(store)).toBe(5);
  for (let turn = 0; turn < 3; turn++)
    await life(store, START + 401 * DAY + turn * MINUTE, 4 * SECOND, `wrong-${turn}`);
  expect(await beatsIn(store)).toBe(8);
  await life(store, START + DAY, MINUTE, "right again");
  expect(await beatsIn(store)).toBe(9);
});

test("a clock that is set 401 days ahead while we watch erases nothing", async () => {
  const store = memoryStore();
  await life(store, START, MINUTE, "before");
  const clock = new VirtualClock(START + HOUR);
  const watcher = await Watcher.load(
    { store, clock, log: LOG, bootId: "now" },
    { autoRegister: true, defaultRule: { every: HOUR, grace: HOUR }, agents: [] },
  );
  watcher.watch();
  const pruning = prunes({ store, clock, watcher, retention: () => RETENTION });
  await clock.run(MINUTE);
  clock.step(401 * DAY);
  pruning.prune();
  await clock.run(MINUTE);
  pruning.stop();
  expect(await beatsIn(store)).toBe(1);
});

test("after an outage of 40 days what is old is forgotten once a day was watched", async () => {
  const store = memoryStore();
  await life(store, START, MINUTE, "before");
  for (const hours of [0, 12]) await life(store, START + 40 * DAY + hours * HOUR, SECOND, `after ${hours}`);
  expect(await beatsIn(store)).toBe(3);
  await life(store, START + 40 * DAY + 30 * HOUR, SECOND, "later");
  const oldest = (await store.beats("a", { limit: 100 })).at(-1);
  expect(oldest?.receivedAt).toBeGreaterThan(START + 39 * DAY);
});
