import { expect, it } from "vitest";
import { HOUR, MINUTE } from "../duration.ts";
import { digestOf } from "./digest.ts";
import type { Incident } from "./incident.ts";

const T = Date.parse("2026-03-02T08:00:00Z");
const from = T - 12 * HOUR;

function incident(subject: string, hoursAgo: number, more: Partial<Incident> = {}): Incident {
  const openedAt = T - hoursAgo * HOUR;
  return {
    ...{ id: `${subject}-1`, kind: "agent", subject, group: "web", state: "dead", reason: "no-beat" },
    ...{ why: "no beat", severity: "critical", since: openedAt, noticedAt: openedAt, openedAt },
    ...{ episodes: [openedAt], flapping: false, change: 1, told: {} },
    ...more,
  };
}
const over = (at: number) => ({ resolved: { at, how: "recovered", why: "" } }) as const;

it("what is open comes first, then the longest, each agent once", () => {
  const text = digestOf(
    [
      incident("short", 5, over(T - 5 * HOUR + MINUTE)),
      incident("long", 6, { ...over(T - 3 * HOUR), acknowledged: { at: T, by: "Alice" } }),
      incident("open", 2, { state: "waiting", why: "asks" }),
      incident("short", 1, { id: "short-2", ...over(T - 30 * MINUTE) }),
      incident("member", 2, { spokenForBy: "group-1" }),
      incident("yesterday", 30, over(T - 20 * HOUR)),
    ],
    from,
    T,
  );
  expect(text?.split("\n")).toEqual([
    "3 agents needed attention in the last 12 h; 1 still does",
    "• open: still waiting, for 2 h: asks",
    "• long: was dead, at most 3 h; well again (acknowledged by Alice)",
    "• short: was dead, 2 times, at most 30 min; well again",
  ]);
});

it("a night in which nothing happened has no digest", () => {
  expect(digestOf([incident("yesterday", 30, over(T - 20 * HOUR))], from, T)).toBeUndefined();
});
