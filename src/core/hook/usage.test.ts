import { expect, it } from "vitest";
import { HOUR } from "../duration.ts";
import { readHook } from "./read-hook.ts";
import { type HookSession, sessionAfter } from "./session.ts";

const T = Date.UTC(2026, 10, 17, 9);

it("what a status line and compactions tell is added up by day, and the cost of a session is counted by what it grew", () => {
  const status = (cost: number, share: number) => ({
    ...{ session_id: "s", cost: { total_cost_usd: cost }, context_window: { used_percentage: 42 } },
    rate_limits: { five_hour: { used_percentage: share, resets_at: (T + 5 * HOUR) / 1000 }, seven_day: {} },
  });
  const events: readonly (readonly [string, object, string])[] = [
    ["StatusLine", status(1.5, 10), "2026-11-17"],
    ["StatusLine", status(2, 20), "2026-11-17"],
    ["PreCompact", { session_id: "s", hook_event_name: "PreCompact" }, "2026-11-18"],
    ["StatusLine", status(2.25, 30), "2026-11-18"],
    // The client began to count anew.
    ["StatusLine", status(0.25, 30), "2026-11-18"],
  ];
  let session: HookSession | undefined;
  for (const [index, [event, payload, day]] of events.entries()) {
    const now = T + index * 10 * 60_000;
    const told = readHook("claude-code", payload, { now, zone: "UTC", event });
    if (told === undefined) throw new Error("not understood");
    session = sessionAfter(session, told, { client: "claude-code", now, sent: index, day });
  }
  expect(session?.usage).toMatchObject({
    days: [
      { day: "2026-11-17", cost: 2, compactions: 0 },
      { day: "2026-11-18", cost: 0.5, compactions: 1 },
    ],
    context: 0.42,
    limits: [
      {
        name: "5h",
        used: 0.3,
        resetsAt: T + 5 * HOUR,
        earlier: [[T, 0.1], ...Array(3).fill(expect.anything())],
      },
    ],
  });
});
