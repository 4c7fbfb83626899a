import { expect, it } from "vitest";
import type { Operations } from "../../service/operations.ts";
import type { SilenceView } from "../../views/show.ts";
import { readHandled, sayHandled } from "./handled.ts";

const NOW = new Date(2026, 5, 1, 12, 0, 0).getTime();

function mute(more: Partial<SilenceView>): SilenceView {
  const until = new Date(NOW + 3_600_000).toISOString();
  return {
    id: "s",
    agents: "*",
    from: new Date(NOW - 1000).toISOString(),
    until,
    why: "",
    by: "anna",
    ...more,
  };
}

const operations = (silences: readonly SilenceView[]) =>
  ({
    incidents: async () => ({ items: [{ subject: "bot", acknowledged: { at: "", by: "ben" } }] }),
    silences: async () => silences,
  }) as unknown as Operations;

const over = { from: new Date(NOW - 2000).toISOString(), until: new Date(NOW - 1000).toISOString() };

it.each<[string, Partial<SilenceView>, string, string]>([
  ["an agent that is muted by a pattern", { agents: "a*" }, "a1", "muted until 13:00:00"],
  ["an agent of a muted group", { group: "web" }, "a1", "muted until 13:00:00"],
  ["an agent of another group", { group: "build" }, "a1", ""],
  ["one whose mute is over", over, "a1", ""],
  ["one whose incident is acknowledged", { agents: "a1" }, "bot", "acknowledged by ben"],
  ["one that is both", {}, "bot", "acknowledged by ben; muted until 13:00:00"],
])("says of %s who takes care", async (_, more, id, said) => {
  expect(sayHandled(await readHandled(operations([mute(more)])), { id, group: "web" }, NOW)).toBe(said);
});
