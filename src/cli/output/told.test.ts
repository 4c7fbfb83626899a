import { expect, it } from "vitest";
import type { ToldView } from "../../views/show.ts";
import { clock } from "./terminal.ts";
import { sayTold } from "./told.ts";

const NOW = Date.parse("2026-06-01T12:00:00Z");
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

const waits: ToldView = {
  ...{ place: "ops", delivered: 0, deliveredAt: null, undelivered: 1, since: at(-1) },
  ...{ attempts: 0, dueAt: at(29), problem: null, held: null },
};

it.each<[string, Partial<ToldView>, string]>([
  ["is not due yet", {}, "ops: 1 message will be sent in 29 s (policy.group)"],
  [
    "follows another",
    { delivered: 1, deliveredAt: at(-60) },
    "told ops 1 min ago; 1 message will be sent in 29 s (policy.group)",
  ],
  [
    "is overdue",
    { dueAt: at(-90), since: at(-120) },
    "ops has not been told: 1 message not delivered, the oldest for 2 min, not tried yet",
  ],
  [
    "a mute holds back",
    { dueAt: at(-90), since: at(-120), held: { until: at(60), by: "mute" } },
    `ops: 1 message held back until ${clock(at(60))} by a mute`,
  ],
  [
    "quiet hours hold back after another was sent",
    { delivered: 1, deliveredAt: at(-60), held: { until: at(60), by: "quiet hours" } },
    `told ops 1 min ago; 1 message held back until ${clock(at(60))} by quiet hours`,
  ],
])("a message that %s", (_, more, said) => expect(sayTold({ ...waits, ...more }, NOW)).toBe(said));
