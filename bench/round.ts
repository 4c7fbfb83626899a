import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent } from "../src/core/agent.ts";
import { workSignals } from "../src/home/intake/work-signal.ts";
import type { Clock } from "../src/ports/clock.ts";
import { signalOpener } from "../src/signals/registry.ts";
import { openSqlite } from "../src/store/sqlite/index.ts";
import { systemClock } from "../src/system/clock.ts";
import { Rounds } from "../src/watch/rounds.ts";
import { Watcher } from "../src/watch/watcher.ts";
import { median } from "./load.ts";
import type { Result } from "./main.ts";

const LOGS = 10_000;
const CHANGED = LOGS / 100;
const ROUNDS = 31;
const INTERVAL = 10_000;
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

/** Clocks that jump from round to round, so that five minutes of rounds take seconds. */
function jumpingClock(): Clock & { jump(by: number): void } {
  let ahead = 0;
  return {
    ...systemClock,
    wall: () => systemClock.wall() + ahead,
    monotonic: () => systemClock.monotonic() + ahead,
    uptime: () => systemClock.uptime() + ahead,
    jump(by) {
      ahead += by;
    },
  };
}

/** One round of the product: every log and every record of work, judged and committed. */
async function measured(home: string, plain: boolean): Promise<{ ours: number; bare: number }> {
  const clock = jumpingClock();
  const folder = join(home, plain ? "plain" : "screens");
  mkdirSync(folder);
  const paths = Array.from({ length: LOGS }, (_, i) => join(folder, `agent-${i}.log`));
  const old = clock.wall() / 1000 - 3600;
  for (const path of paths) {
    writeFileSync(path, "step 1 is done\r\n");
    utimesSync(path, old, old);
  }
  const store = await openSqlite(join(folder, "rollcall.db"));
  const agents = paths.map(
    (path, i): Agent => ({
      id: `agent-${i}`,
      origin: "config",
      addedAt: clock.wall(),
      signals: { log: { path, plain } },
    }),
  );
  const watcher = await Watcher.load(
    { store, clock, log: SILENT, bootId: "" },
    { autoRegister: true, defaultRule: { every: 900_000, grace: 300_000 }, agents },
  );
  const open = signalOpener("UTC");
  const workOf = workSignals(home);
  const rounds = new Rounds({
    clock,
    interval: 2 ** 31 - 1,
    open: ({ id, signals = {} }) => [
      ...open({ agent: id, settings: signals, memories: {}, journal: "" }),
      workOf(id),
    ],
    notice: (found) => watcher.notice(found),
    blindUntil: () => 0,
  });
  rounds.watch(agents);
  // Not start(), which does not wait for a first round of many screens: that would run beside the measured ones.
  await rounds.round();
  const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    clock.jump(INTERVAL);
    const now = clock.wall() / 1000;
    for (let i = 0; i < CHANGED; i += 1) {
      const path = paths[(round * CHANGED + i) % LOGS] ?? "";
      appendFileSync(path, `step ${round + 2} is done\r\n`);
      utimesSync(path, now, now);
    }
    // In turn, so that a slow moment of the machine meets both.
    let began = performance.now();
    for (const path of paths) statSync(path);
    times.bare.push(performance.now() - began);
    began = performance.now();
    await rounds.round();
    times.ours.push(performance.now() - began);
  }
  await rounds.stop();
  await watcher.stop();
  await store.close();
  return { ours: median(times.ours), bare: median(times.bare) };
}

/** What a round over many logs costs of which few change, against asking for each file's state and nothing else. */
export async function round(): Promise<Result[]> {
  const home = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  try {
    const results: Result[] = [];
    for (const plain of [true, false]) {
      const { ours, bare } = await measured(home, plain);
      results.push({
        name: `a round over ${LOGS} ${plain ? "plain logs" : "logs of screens"}, 1 % changed`,
        ours: `${ours.toFixed(1)} ms`,
        baseline: `${bare.toFixed(1)} ms bare statSync of each`,
        ratio: ours / bare,
        aim: plain ? "at most 1.3" : "at most 4",
      });
    }
    return results;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
