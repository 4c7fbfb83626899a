import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { VirtualClock } from "../../../test/virtual-clock.ts";
import { defaultConfig } from "../../config/load.ts";
import { DAY, MINUTE, SECOND } from "../../core/duration.ts";
import type { Dispatch } from "../../ports/channel.ts";
import { memoryStore } from "../../store/memory/memory.ts";
import { Courier } from "../../watch/courier.ts";
import { Watcher } from "../../watch/watcher.ts";
import { policyOf } from "../policy.ts";
import { Actions } from "./actions.ts";

const START = Date.parse("2026-03-02T08:00:00Z");
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const home = mkdtempSync(join(tmpdir(), "rollcall-quiet-"));
afterEach(() => rmSync(home, { recursive: true, force: true }));

it("a virtual day of a healthy fleet sends exactly one message, the daily summary", async () => {
  const clock = new VirtualClock(START);
  const store = memoryStore();
  const base = defaultConfig();
  const config = {
    ...base,
    heartbeat: {
      ...base.heartbeat,
      actions: base.heartbeat.actions.map((each) => ({ ...each, timezone: "UTC" })),
    },
  };
  const policy = policyOf(config, START);
  const watcher = await Watcher.load(
    { store, clock, log: SILENT, bootId: "boot" },
    { ...policy, agents: [] },
  );
  const heard: string[] = [];
  const channel = {
    kind: "fake",
    send: async ({ message }: Dispatch) => {
      heard.push(message.title);
      return { outcome: "sent" } as const;
    },
  };
  const courier = new Courier(
    { clock, log: SILENT, persist: (deliveries) => watcher.persist({ deliveries }), channel: () => channel },
    [],
  );
  watcher.onCommitted(({ deliveries = [] }) => courier.note(deliveries));
  watcher.watch();
  courier.start();
  writeFileSync(join(home, "tasks.json"), "[]");
  const actions = await Actions.start(config, { watcher, store, log: SILENT, home, clock });
  const agents = Array.from({ length: 20 }, (_, n) => `agent-${n}`);
  for (let at = 0; at < DAY; at += 10 * MINUTE) {
    const now = clock.wall();
    await watcher.accept(
      agents.map((agent) => ({
        id: `${agent} ${now}`,
        agent,
        source: "agent" as const,
        status: "ok" as const,
        sentAt: now,
        receivedAt: now,
      })),
    );
    // Files are read in real time: nothing may run while the virtual one passes.
    for (let minute = 0; minute < 10; minute++) {
      await clock.run(SECOND);
      while (actions.list().some(({ running }) => running)) await clock.run(0);
      await clock.run(MINUTE - SECOND);
    }
  }
  expect(heard).toEqual(["Daily summary: 0 tasks completed, 0 earned"]);
  const scans = await store.runs.page({ limit: 1000, action: "task-scan" });
  expect(scans.filter(({ outcome }) => outcome === "done").length).toBeGreaterThan(280);
  await actions.stop();
  await courier.stop();
  await watcher.stop();
});
