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
    (event, data) => sent.push([event, JSON.parse(data)]),
  );
  feed.note(
    {
      recoveries: [recovery("planned")],
      records: [{ kind: "norm", id: "n", at: 0, about: "bot", current: true, body: {} as never }],
    },
    [],
  );
  feed.note({ recoveries: [recovery("done")] }, []);
  vi.runAllTimers();
  expect(sent).toEqual([
    ["recoveries", [expect.objectContaining({ agent: "bot", step: "restart", state: "done" })]],
  ]);
  feed.note({ recoveries: [recovery("done")] }, []);
  feed.stop();
  vi.runAllTimers();
  expect(sent).toHaveLength(1);
});

it("shows an agent once for a beat, and not again when its entry is written", () => {
  const sent: string[] = [];
  const feed = new ChangeFeed(
    (id) => id,
    (_, data) => sent.push(data),
  );
  const entry = { agent: "bot" } as RollEntry;
  feed.note({ beats: [{ agent: "bot" } as Beat] }, ["bot"]);
  vi.runAllTimers();
  feed.note({ entries: [entry], flushed: true }, []);
  vi.runAllTimers();
  expect(sent).toEqual(['["bot"]']);
  feed.note({ entries: [entry] }, ["bot"]);
  vi.runAllTimers();
  expect(sent).toHaveLength(2);
});
