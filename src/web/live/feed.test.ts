import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Recovery } from "../../core/recovery/recovery.ts";
import type { Kept } from "../../ports/store.ts";
import { Feed } from "./feed.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const recovery = (state: Recovery["state"]): Kept => ({
  ...{ kind: "recovery", id: "r1", at: 0, about: "bot", open: true },
  body: {
    ...{ id: "r1", incident: "i1", agent: "bot", do: "restart", step: 0, state, why: "it fell" },
    aim: { state: "dead", reason: "silent" },
    plannedAt: 0,
  },
});

it("tells of a step once with its newest state, and of what is nobody's business nothing", () => {
  const sent: [string, unknown][] = [];
  const feed = new Feed(
    () => undefined,
    (event, data) => sent.push([event, JSON.parse(data)]),
  );
  feed.note({
    kept: [
      recovery("planned"),
      { kind: "norm", id: "n", at: 0, about: "bot", open: true, body: {} as never },
    ],
  });
  feed.note({ kept: [recovery("done")] });
  vi.runAllTimers();
  expect(sent).toEqual([
    ["recoveries", [expect.objectContaining({ agent: "bot", step: "restart", state: "done" })]],
  ]);
  feed.note({ kept: [recovery("done")] });
  feed.stop();
  vi.runAllTimers();
  expect(sent).toHaveLength(1);
});
