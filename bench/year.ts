import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Chance } from "../sim/chance.ts";
import { Life } from "../sim/life.ts";
import { Time } from "../sim/time.ts";
import { prunes } from "../src/app/pruning.ts";
import { configSchema } from "../src/config/schema.ts";
import type { Beat } from "../src/core/beat.ts";
import { DAY, HOUR, MINUTE } from "../src/core/duration.ts";
import { defaultPolicy } from "../src/core/incident/policy.ts";
import { openSqlite } from "../src/store/sqlite/index.ts";
import { Courier } from "../src/watch/courier.ts";
import { Watcher } from "../src/watch/watcher.ts";
import type { Result } from "./main.ts";

const AGENTS = 100;
const EVERY = 15 * MINUTE;
const MONTH = 30 * DAY;
const MONTHS = 12;
/** An agent works in rounds: it wakes, beats so often, and sleeps until its next round, in which it beats as a wrapper. */
const CYCLES_A_DAY = 4;
const BEATS_A_CYCLE = 8;
/** Once in so many days an agent falls silent, for up to so long. */
const SILENT_EVERY = 10 * DAY;
const SILENT_FOR = 6 * HOUR;
const RETENTION = configSchema.parse({}).retention;
const ACTIONS = [
  "sync inbox",
  "read the issue tracker",
  "run the tests of the payments service",
  "write a summary",
];
const START = Date.parse("2026-01-01T00:00:00Z");
const SILENT_LOG = { info: () => {}, warn: () => {}, error: () => {} };
/** Commits are fewer and larger than in production, which saves time: the rows that they leave behind are the same. */
const TOGETHER = 5 * MINUTE;
const PACE = { sleep: TOGETHER, mark: HOUR };

/** What the database takes on the disk after each month of a year, with the product's own engine on a virtual clock. */
export async function year(): Promise<Result[]> {
  // Nothing here is about the speed of the disk: where memory can be had as a folder, a commit waits for nothing.
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "rollcall-bench-"));
  const file = join(folder, "rollcall.db");
  const months: number[] = [];
  try {
    const store = await openSqlite(file, { here: true });
    const time = new Time(START);
    const chance = new Chance(21);
    const { clock } = new Life(1, time);
    const rule = { every: EVERY, grace: EVERY };
    const telling = defaultPolicy(["phone"]);
    const policy = { autoRegister: true, defaultRule: rule, agents: [], telling };
    const begun = Watcher.load(
      { store, clock, log: SILENT_LOG, bootId: "bench", host: "bench", pace: PACE },
      policy,
    );
    await time.run(MINUTE, () => true);
    const watcher = await begun;
    const persist: ConstructorParameters<typeof Courier>[0]["persist"] = (deliveries) =>
      watcher.persist({ deliveries });
    const channel = () => ({ kind: "bench", send: async () => ({ outcome: "sent" }) as const });
    const courier = new Courier({ clock, log: SILENT_LOG, persist, channel }, []);
    watcher.onCommitted(({ deliveries = [] }) => courier.note(deliveries));
    watcher.watch();
    courier.start();
    const pruning = prunes({ store, clock, watcher, retention: () => RETENTION });
    for (let index = 0; index < AGENTS; index++) beats(index, watcher, time, chance);
    for (let month = 1; month <= MONTHS; month++) {
      await time.run(month * MONTH, () => true);
      const size = megabytesOf(file);
      months.push(size.all);
      console.error(`year: month ${month}: ${size.all.toFixed(1)} MB (log ${size.log.toFixed(1)} MB)`);
    }
    pruning.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const [third = 0, ...later] = months.slice(2);
  const largest = Math.max(...later);
  return [
    {
      name: `disk after a year of ${AGENTS} agents at the default retention`,
      ours: `${(months.at(-1) ?? 0).toFixed(0)} MB`,
      baseline: months.map((size) => size.toFixed(0)).join(" "),
      ratio: null,
      aim: "under 200 MB",
      value: Math.max(...months),
    },
    {
      name: "… the largest of months 4 to 12, over month 3",
      ours: `${largest.toFixed(0)} MB`,
      baseline: `${third.toFixed(0)} MB`,
      ratio: largest / third,
      aim: "at most 1.1",
    },
  ];
}

/** One agent beats for as long as the world lasts. */
function beats(index: number, watcher: Watcher, time: Time, chance: Chance): void {
  const agent = `agent-${index}`;
  const roundOf = Math.floor(DAY / EVERY / CYCLES_A_DAY);
  let count = chance.between(0, roundOf);
  let silentUntil = 0;
  const beat = () => {
    count += 1;
    time.after(EVERY, beat);
    if (chance.hit(EVERY / SILENT_EVERY)) silentUntil = time.now + chance.between(HOUR, SILENT_FOR);
    if (time.now < silentUntil) return;
    const at = time.wall();
    const place = count % roundOf;
    const works = place < BEATS_A_CYCLE;
    const ends = place === BEATS_A_CYCLE - 1;
    const said: Beat = {
      id: idOf(at, index),
      agent,
      source: works ? "agent" : "wrapper",
      status: works && chance.hit(0.002) ? "error" : "ok",
      host: "bench",
      sentAt: at,
      receivedAt: at,
      ...(works ? { cycle: Math.floor(count / roundOf), action: chance.one(ACTIONS) } : {}),
      ...(works && place === 0 ? { cycleEvent: "begun" } : {}),
      ...(ends ? { cycleEvent: "ended" } : {}),
    };
    void watcher.accept([said]);
  };
  time.after(MINUTE + TOGETHER * (index % 3), beat);
}

/** A UUIDv7 that follows from the time and the agent. */
function idOf(at: number, index: number): string {
  const hex = at.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${index.toString(16).padStart(12, "0")}`;
}

function megabytesOf(file: string): { all: number; log: number } {
  const sizeOf = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / 1e6;
  const log = sizeOf(`${file}-wal`);
  return { all: sizeOf(file) + log, log };
}
