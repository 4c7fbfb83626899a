import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../src/store/sqlite/index.ts";
import { systemClock } from "../src/system/clock.ts";
import { Watcher } from "../src/watch/watcher.ts";
import { quantile } from "./load.ts";

const [kind, count] = process.argv.slice(2);
const agents = Number(count);
const SPAN = 10_000;
const LEAD = agents > 50_000 ? 20_000 : 5_000;

const heap = () => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

function report(late: readonly number[], bytes: number, cpuMs: number): void {
  console.log(JSON.stringify({ p99: quantile(late, 0.99), bytesPerAgent: bytes / agents, cpuMs }));
}

async function bare(): Promise<void> {
  const before = heap();
  const late: number[] = [];
  const began = performance.now();
  const timers = Array.from({ length: agents }, (_, i) => {
    const due = LEAD + (i / agents) * SPAN;
    return setTimeout(() => late.push(performance.now() - began - due), due);
  });
  const bytes = heap() - before;
  await new Promise((done) => setTimeout(done, LEAD + SPAN + 1000));
  for (const timer of timers) clearTimeout(timer);
  report(late, bytes, process.cpuUsage().user / 1000);
}

async function ours(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  const store = await openSqlite(join(home, "rollcall.db"));
  const before = heap();
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const now = Date.now();
  const watcher = await Watcher.load(
    { store, clock: systemClock, log, bootId: "" },
    {
      autoRegister: true,
      defaultRule: { every: 1000, grace: 1_000_000 },
      agents: Array.from({ length: agents }, (_, i) => ({
        id: `agent-${i}`,
        rule: { every: LEAD + Math.round((i / agents) * SPAN), grace: 1_000_000 },
        origin: "config" as const,
        addedAt: now,
      })),
    },
  );
  const beats = Array.from({ length: agents }, (_, i) => ({
    id: `00000000-0000-7000-8000-${String(i).padStart(12, "0")}`,
    agent: `agent-${i}`,
    source: "agent" as const,
    status: "ok" as const,
    sentAt: now,
    receivedAt: now,
  }));
  for (let i = 0; i < beats.length; i += 1000) await watcher.accept(beats.slice(i, i + 1000));
  beats.length = 0;
  const bytes = heap() - before;
  const late: number[] = [];
  const settled = new Promise<void>((done) => {
    watcher.onCommitted(({ flips = [] }) => {
      for (const { to, at, noticedAt } of flips) if (to === "late") late.push(noticedAt - at);
      if (late.length >= agents) done();
    });
  });
  const cpu = process.cpuUsage();
  watcher.watch();
  await settled;
  const used = process.cpuUsage(cpu);
  await watcher.stop();
  await store.close();
  rmSync(home, { recursive: true, force: true });
  report(late, bytes, (used.user + used.system) / 1000);
}

await (kind === "bare" ? bare() : ours());
