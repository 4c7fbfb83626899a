import { expect, it } from "vitest";
import { sayHandled, sayHandledShortly } from "./handled.ts";

const NOW = new Date(2026, 5, 1, 12, 0, 0).getTime();
const mutedUntil = new Date(NOW + 3_600_000).toISOString();

it.each<[string, Parameters<typeof sayHandled>[0], string, string]>([
  ["of an agent that nobody takes care of nothing", {}, "", ""],
  ["until when an agent is muted", { mutedUntil }, "muted until 13:00:00", "muted 1 h"],
  ["who acknowledged an incident", { acknowledgedBy: "ben" }, "acknowledged by ben", "acked"],
  [
    "both",
    { acknowledgedBy: "ben", mutedUntil },
    "acknowledged by ben; muted until 13:00:00",
    "acked, muted 1 h",
  ],
])("says %s", (_, agent, said, shortly) => {
  expect(sayHandled(agent, NOW)).toBe(said);
  expect(sayHandledShortly(agent, NOW)).toBe(shortly);
});
