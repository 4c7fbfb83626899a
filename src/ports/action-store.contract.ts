import { beforeEach, describe, expect, it } from "vitest";
import type { ActionState, Outgoing, Run } from "../core/action/state.ts";
import type { ActionStore } from "./action-store.ts";

/** A store to test, what it has queued for sending so far, and how to open the same one again if it lasts. */
interface ActionStoreUnderTest {
  readonly store: ActionStore;
  readonly queued: () => Promise<readonly Outgoing[]>;
  readonly reopen?: () => Promise<ActionStore>;
}

const T = Date.UTC(2026, 2, 29, 1);
const NASTY = "NUL \0, half \ud83d, 🫀, 'single' \"double\", \\, %s ?1 :a\r\n\ttail";
const state = (action: string, more: Partial<ActionState> = {}): ActionState => ({
  action,
  schedule: "every 5m",
  settledTo: T,
  shift: 0,
  failures: 0,
  recent: [],
  session: { said: [], memory: {} },
  ...more,
});
const run = (id: string, dueAt: number, more: Partial<Run> = {}): Run => ({
  action: "scan",
  id,
  dueAt,
  outcome: "done",
  ...more,
});
const message = (key: string, more: Partial<Outgoing> = {}): Outgoing => ({
  key,
  action: "scan",
  text: "Found 2",
  severity: "info",
  at: T,
  ...more,
});
const fullRun = run("full", T + 9, {
  outcome: "skipped",
  startedAt: T + 1,
  endedAt: T + 2,
  reason: "missed-skipped",
  from: T - 5,
  count: 200,
  more: true,
  message: NASTY,
  metadata: { deep: [1, NASTY, null, { ok: true }] },
  problem: NASTY,
});
const fullState = state("scan", {
  shift: 3,
  enabled: false,
  lastRun: { id: "r", dueAt: T, startedAt: T + 1, endedAt: T + 2, outcome: "timed-out" },
  running: { runId: "s", dueAt: T + 5, startedAt: T + 6, attempt: 2, manual: true },
  again: T - 5,
  failures: 4,
  told: true,
  recent: [T - 2, T - 1],
  skipped: fullRun,
  session: { said: [{ at: T, text: NASTY }], memory: { [NASTY]: [NASTY, 1.5, null], __proto__x: {} } },
});

/** What every action store must do. */
export function actionStoreContract(name: string, open: () => Promise<ActionStoreUnderTest>): void {
  describe(`${name} as an action store`, () => {
    let tested: ActionStoreUnderTest;
    let store: ActionStore;
    beforeEach(async () => {
      tested = await open();
      ({ store } = tested);
    });
    const ids = async (page: Parameters<ActionStore["runs"]>[1]) =>
      (await store.runs("scan", page)).map(({ id }) => id);

    it("knows nothing at first", async () => {
      expect(await store.load()).toEqual([]);
      expect(await store.runs("scan", { limit: 10 })).toEqual([]);
    });

    it("gives back every field as it was", async () => {
      await store.commit({ state: fullState, runs: [fullRun], say: [message("k", { text: NASTY })] });
      const again = (await tested.reopen?.()) ?? store;
      expect(await again.load()).toEqual([fullState]);
      expect(await again.runs("scan", { limit: 10 })).toEqual([fullRun]);
      expect(await tested.queued()).toEqual([message("k", { text: NASTY })]);
    });

    it("keeps one state of each action, the newest, without what it has no more", async () => {
      await store.commit({ state: fullState });
      await store.commit({ state: state("other") });
      await store.commit({ state: state("scan", { failures: 1 }) });
      const states = [...(await store.load())].sort((a, b) => (a.action < b.action ? -1 : 1));
      expect(states).toEqual([state("other"), state("scan", { failures: 1 })]);
    });

    it("replaces the run with the same id", async () => {
      const skipped = run("a", T, { outcome: "skipped", reason: "overlap", count: 1, problem: "gone" });
      await store.commit({ state: state("scan"), runs: [skipped] });
      await store.commit({ state: state("scan"), runs: [run("a", T + 5, { count: 2 })] });
      expect(await store.runs("scan", { limit: 10 })).toEqual([run("a", T + 5, { count: 2 })]);
    });

    it("tells runs newest first, in pages, of one action", async () => {
      await store.commit({ state: state("scan"), runs: [run("b", T + 2), run("a", T + 1)] });
      await store.commit({ state: state("scan"), runs: [run("c", T + 3), run("d", T + 3)] });
      await store.commit({ state: state("other"), runs: [run("x", T + 9, { action: "other" })] });
      expect(await ids({ limit: 10 })).toEqual(["d", "c", "b", "a"]);
      expect(await ids({ limit: 3 })).toEqual(["d", "c", "b"]);
      expect(await ids({ limit: 3, before: T + 3 })).toEqual(["b", "a"]);
      expect(await ids({ limit: 3, before: T + 1 })).toEqual([]);
    });

    it("queues a message once, however often it is committed", async () => {
      await store.commit({ state: state("scan"), say: [message("k")] });
      await store.commit({ state: state("scan"), say: [message("k", { text: "again" }), message("l")] });
      const again = (await tested.reopen?.()) ?? store;
      await again.commit({ state: state("scan"), say: [message("l"), message("k")] });
      expect(await tested.queued()).toEqual([message("k"), message("l")]);
    });
  });
}
