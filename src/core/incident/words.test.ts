import { describe, expect, it } from "vitest";
import { hostOf, type Incident } from "./incident.ts";
import { type Occasion, wordsFor } from "./words.ts";

const T = Date.parse("2026-03-02T08:00:00Z");

function incident(more: Partial<Incident>): Incident {
  return {
    ...{ id: "bot-1", kind: "agent", subject: "bot", group: "web", state: "dead", reason: "no-beat" },
    ...{ why: "no beat", severity: "critical", since: T, noticedAt: T, openedAt: T, episodes: [T] },
    ...{ flapping: false, change: 1, told: {} },
    ...more,
  };
}

const far = { id: "bot-1@web1", subject: "bot@web1", host: "web1" } as const;
const lost = { subject: "rollcall@web1", state: "unknown", reason: "host-out-of-contact" } as const;

describe("the message about an incident", () => {
  it.each<[string, Partial<Incident>, Occasion, string, string | undefined]>([
    ["of an own agent", {}, "opened", "bot is dead", undefined],
    ["of an agent of a host", far, "opened", "bot on web1 is dead", "web1"],
    ["that reminds", far, "reminder", "bot on web1 is still dead", "web1"],
    ["of what is past", far, "past", "bot on web1 was dead while its host was out of contact", "web1"],
    ["of a host", lost, "opened", "host web1 is out of contact", "web1"],
    ["of a host that is back", lost, "resolved", "host web1 is back", "web1"],
    ["of a reboot", { kind: "reboot", subject: "studio" }, "opened", "host studio rebooted", undefined],
  ])("%s names it and its host", (_, more, occasion, title, host) => {
    const { title: said, data } = wordsFor(incident(more), occasion, T);
    expect([said, data?.host]).toEqual([title, host]);
    expect(hostOf(incident(more))).toBe(host);
  });

  it("has commands that the hub understands", () => {
    expect(wordsFor(incident(far), "opened", T).commands).toEqual([
      "rollcall explain bot@web1",
      "rollcall incidents ack bot-1@web1",
    ]);
  });
});
