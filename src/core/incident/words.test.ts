import { describe, expect, it } from "vitest";
import { SECOND } from "../duration.ts";
import type { Flip } from "../liveness/verdict.ts";
import { hostOf, type Incident } from "./incident.ts";
import { respond } from "./respond.ts";
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

  it("has the name that people gave the agent, and its id", () => {
    const titleWith = (name: string) => wordsFor(incident({}), "opened", T, { nameOf: () => name }).title;
    expect(titleWith("Painter")).toBe("Painter (bot) is dead");
    expect(titleWith("bot")).toBe("bot is dead");
  });

  it.each<[string, Occasion, string]>([
    ["restarted 3 times in 2 min, gave up", "changed", "bot is still dead: Rollcall gave up restarting it"],
    ["1 nudge failed in 5 s (no pane), gave up", "changed", "bot is still dead: Rollcall gave up nudging it"],
    ["gave up", "changed", "bot is still dead: Rollcall gave up recovering it"],
    ["restarted 3 times in 2 min, gave up", "resolved", "bot: resolved (over)"],
    ["escalated", "changed", "bot is dead"],
  ])("with the recovery %s (%s) has the title: %s", (done, occasion, title) => {
    expect(wordsFor(incident({ why: `no beat; recovery: ${done}` }), occasion, T).title).toBe(title);
  });

  it("has commands that the hub understands", () => {
    expect(wordsFor(incident(far), "opened", T).commands).toEqual([
      "rollcall explain bot@web1",
      "rollcall incidents ack bot-1@web1",
    ]);
  });

  const asked = {
    text: "Bash command\n\n  make deploy\nDo you want to proceed?",
    choices: [
      { number: 1, label: "Yes" },
      { number: 2, label: "No" },
    ],
    ...{ fingerprint: "f1", change: 1, attach: "tmux attach -t bot" },
  };
  const waits = {
    state: "waiting",
    reason: "permission",
    why: "its screen asks for permission",
    asked,
  } as const;

  it("has the question in the agent's own words, its pane, and a link", () => {
    const { lines, commands, links, data } = wordsFor(incident(waits), "opened", T, {
      page: "https://roll.example.org",
    });
    expect(lines.slice(2)).toEqual([
      "The agent asks, in its own words:",
      "│ Bash command",
      "│ make deploy",
      "│ Do you want to proceed?",
      "│ 1. Yes",
      "│ 2. No",
    ]);
    expect(commands).toEqual(["rollcall answer bot", "tmux attach -t bot", "rollcall incidents ack bot-1"]);
    expect(links).toEqual(["https://roll.example.org/agents/bot"]);
    expect(data?.asked).toEqual({ text: asked.text, choices: asked.choices, fingerprint: "f1" });
  });

  it("names the host on which the pane of another host's agent is", () => {
    const { lines, commands } = wordsFor(incident({ ...waits, ...far }), "opened", T);
    expect(lines.at(-1)).toBe("Its pane, on web1: tmux attach -t bot");
    expect(commands).not.toContain("tmux attach -t bot");
  });

  it("has no question that is over, or that was asked before", () => {
    for (const [more, occasion] of [
      [{ ...waits, change: 2 }, "reminder"],
      [{ ...waits, state: "dead" }, "changed"],
      [{ ...waits, resolved: { at: T, how: "recovered", why: "alive" } }, "resolved"],
    ] as const)
      expect(JSON.stringify(wordsFor(incident(more), occasion, T))).not.toContain("make deploy");
  });

  it.each<[string, readonly (readonly [Flip["to"], number])[], string]>([
    [
      "one trouble",
      [
        ["failing", 0],
        ["alive", 10],
      ],
      "lasted 10 s",
    ],
    [
      "one that got worse",
      [
        ["failing", 0],
        ["dead", 30],
        ["alive", 50],
      ],
      "lasted 50 s",
    ],
    [
      "one that came back",
      [
        ["failing", 0],
        ["alive", 10],
        ["failing", 400],
        ["alive", 425],
      ],
      "lasted 25 s; trouble on and off for 7 min 5 s",
    ],
  ])("says how long %s lasted", (_, flips, lasted) => {
    const last = flips.reduce<Incident | undefined>((before, [to, seconds]) => {
      const at = T + seconds * SECOND;
      const flip = {
        agent: "bot",
        from: "alive",
        to,
        reason: "no-beat",
        why: "so",
        at,
        noticedAt: at,
      } as const;
      return respond(before, flip, "web") ?? before;
    }, undefined);
    const { lines } = wordsFor(last ?? incident({}), "resolved", T);
    expect(lines[1]).toContain(`${lasted}; it was `);
  });
});
