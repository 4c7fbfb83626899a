import { describe, expect, it } from "vitest";
import type { AgentView } from "../api/shapes.ts";
import { addressOf, byTrouble, filterOf, isEmpty, passesRest } from "./filter.ts";
import { windowOf } from "./use-window.ts";

function agent(id: string, state: AgentView["state"], since = "2026-01-01T00:00:00.000Z"): AgentView {
  return { id, state, since, group: "build", host: "studio", why: "beat", reason: "beat" } as AgentView;
}

describe("the order of the roll", () => {
  it("puts trouble first, the newest trouble on top, and the well by name", () => {
    const all = [
      agent("z", "alive"),
      agent("a", "resting"),
      agent("old", "dead", "2026-01-01T00:00:00.000Z"),
      agent("young", "dead", "2026-01-02T00:00:00.000Z"),
      agent("p", "paused"),
      agent("w", "waiting"),
    ];
    expect(all.sort(byTrouble).map(({ id }) => id)).toEqual(["young", "old", "w", "a", "z", "p"]);
  });
});

describe("the filter", () => {
  it.each(["/", "/?state=dead,stalled", "/?group=a+b&host=studio&q=x%26y"])(
    "%s is read and written back",
    (text) => {
      expect(addressOf(filterOf(new URL(text, "http://x").searchParams))).toBe(text);
    },
  );

  it("ignores a state that does not exist", () => {
    expect(isEmpty(filterOf(new URLSearchParams("state=happy")))).toBe(true);
  });

  it.each([
    ["q=STUD", false],
    ["q=ALLE beat", true],
    ["group=build", true],
    ["group=other", false],
    ["host=studio&q=alle", true],
    ["host=elsewhere", false],
  ])("%s: %s for an agent of group build", (query, passes) => {
    expect(passesRest(agent("allegro", "alive"), filterOf(new URLSearchParams(query)))).toBe(passes);
  });
});

describe("the rows that are drawn", () => {
  it("are all, while they are few", () => expect(windowOf(100, 36, 0, 800)).toEqual({ from: 0, to: 100 }));
  it("are those in view and a few beyond", () => {
    expect(windowOf(1000, 40, 4000, 800)).toEqual({ from: 88, to: 132 });
  });
  it("end with the list", () => expect(windowOf(1000, 40, 39_600, 800)).toEqual({ from: 978, to: 1000 }));
  it("never run backwards where the view lies beyond the list", () => {
    const { from, to } = windowOf(200, 40, 90_000, 800);
    expect(from).toBeLessThanOrEqual(to);
  });
});
