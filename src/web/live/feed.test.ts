import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Beat } from "../../core/beat.ts";
import type { Recovery } from "../../core/recovery/recovery.ts";
import type { RecoveryChange, RollEntry } from "../../ports/store.ts";
import { ChangeFeed } from "./feed.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const recovery = (state: Recovery["state"]): RecoveryChange => ({
  counts: true,
  recovery: {
    ...{ id: "r1", incident: "i1", agent: "bot", do: "restart", step: 0, state, why: "it fell" },
    aim: { state: "dead", reason: "silent" },
    plannedAt: 0,
  },
});

it("tells of a step once with its newest state, and of what is nobody's business nothing", () => {
  const sent: [string, unknown][] = [];
  const feed = new ChangeFeed(
    () => undefined,
    (events) => sent.push(...events.map(({ name, items }): [string, unknown] => [name, items])),
  );
  feed.note(
    {
      recoveries: [recovery("planned")],
      records: [{ kind: "norm", id: "n", at: 0, about: "bot", current: true, body: {} as never }],
    },
    [],
    1,
  );
  feed.note({ recoveries: [recovery("done")] }, [], 2);
  vi.runAllTimers();
  expect(sent).toEqual([
    ["recoveries", [expect.objectContaining({ agent: "bot", step: "restart", state: "done" })]],
  ]);
  feed.note({ recoveries: [recovery("done")] }, [], 3);
  feed.stop();
  vi.runAllTimers();
  expect(sent).toHaveLength(1);
});

it("shows an agent once for a beat, and not again when its entry is written", () => {
  const sent: unknown[] = [];
  const feed = new ChangeFeed(
    (id) => id,
    (events, upTo) => sent.push([events, upTo]),
  );
  const entry = { agent: "bot" } as RollEntry;
  const shown = [{ name: "agents", items: ["bot"] }];
  feed.note({ beats: [{ agent: "bot" } as Beat] }, ["bot"], 7);
  vi.runAllTimers();
  feed.note({ entries: [entry], flushed: true }, [], 8);
  vi.runAllTimers();
  expect(sent).toEqual([[shown, 7]]);
  feed.note({ entries: [entry] }, ["bot"], 9);
  vi.runAllTimers();
  expect(sent).toEqual([
    [shown, 7],
    [shown, 9],
  ]);
});

it("says how far it is only with the last of what waits", () => {
  const sent: unknown[] = [];
  const feed = new ChangeFeed(
    (id) => id,
    ([event], upTo) => sent.push([event?.items.length, upTo]),
  );
  const ids = Array.from({ length: 300 }, (_, i) => `a${i}`);
  feed.note({}, ids, 7);
  vi.runAllTimers();
  expect(sent).toEqual([
    [250, undefined],
    [50, 7],
  ]);
});
