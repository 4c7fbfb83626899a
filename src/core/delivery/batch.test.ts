import { describe, expect, it } from "vitest";
import { MINUTE, SECOND } from "../duration.ts";
import { nextBatch, nextDue, overBeforeTold } from "./batch.ts";
import type { Delivery } from "./delivery.ts";

const T = Date.parse("2026-03-02T08:00:00Z");

function delivery(key: string, more: Partial<Delivery> = {}): Delivery {
  return {
    key,
    to: "ops",
    about: "a",
    incident: "a-1",
    says: "other",
    message: { severity: "critical", title: key, lines: [] },
    createdAt: T,
    dueAt: T + 30 * SECOND,
    state: "pending",
    attempts: 0,
    ...more,
  };
}

describe("the next message to a place", () => {
  it("waits for what was claimed before, also where something else is due", () => {
    const claimed = delivery("a", { batch: "a", attempts: 3, triedAt: T, dueAt: T + MINUTE });
    const all = [claimed, delivery("b", { createdAt: T + 1 })];
    expect(nextBatch(all, T + 40 * SECOND)).toBeUndefined();
    expect(nextDue(all)).toBe(T + MINUTE);
    expect(nextBatch(all, T + MINUTE)).toMatchObject({ key: "a" });
  });

  it.each([
    ["was queued", delivery("a")],
    [
      "was tried",
      delivery("a", { createdAt: T - 60 * MINUTE, triedAt: T, dueAt: T + 50 * SECOND, attempts: 4 }),
    ],
  ])("is due at once where the clock was set back to before it %s", (_, one) => {
    expect(nextBatch([one], T + SECOND)).toBeUndefined();
    expect(nextBatch([one], T - 20 * MINUTE)).toMatchObject({ key: "a" });
  });
});

it("tells of one incident in its own order, also where the clock was set back in between", () => {
  const all = [
    delivery("resolved-6", {
      says: "resolved",
      change: 6,
      createdAt: T - 90 * MINUTE,
      dueAt: T - 89 * MINUTE,
    }),
    delivery("b", { incident: "b-1", change: 1, createdAt: T - 60 * MINUTE, dueAt: T - 59 * MINUTE }),
    delivery("flapping-6", { change: 6 }),
    delivery("changed-5", { change: 5, createdAt: T - SECOND }),
  ];
  const { deliveries = [] } = nextBatch(all, T - 50 * MINUTE) ?? {};
  expect(deliveries.map(({ key }) => key)).toEqual(["changed-5", "b", "flapping-6", "resolved-6"]);
});

describe("what was over before anybody had been told", () => {
  const opened = (at: number) => delivery(`opened-${at}`, { says: "opened", createdAt: T + at });
  const other = (at: number) => delivery(`other-${at}`, { createdAt: T + at });
  const over = (at: number) => delivery(`resolved-${at}`, { says: "resolved", createdAt: T + at });
  it.each([
    ["an opening and its end", [opened(1), over(2)], ["opened-1", "resolved-2"]],
    ["and what was said between", [opened(1), other(2), over(3)], ["opened-1", "other-2", "resolved-3"]],
    ["but not that it is open again", [opened(1), over(2), opened(3)], ["opened-1", "resolved-2"]],
    ["nor the end of what was told before", [over(1), opened(2)], []],
    ["nor an opening that was tried", [{ ...opened(1), attempts: 1 }, over(2)], []],
  ])("is taken away: %s", (_, deliveries, keys) => {
    expect(overBeforeTold(deliveries, T).map(({ key }) => key)).toEqual(keys);
  });
});
