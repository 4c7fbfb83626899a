import { describe, expect, it } from "vitest";
import type { AgentView } from "../api/shapes.ts";
import {
  activityOf,
  addressOf,
  byTrouble,
  filterOf,
  isEmpty,
  linesOf,
  orderOf,
  passesRest,
} from "./filter.ts";
import { inPlace } from "./use-held-order.ts";
import { topOf, windowOf } from "./use-window.ts";

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

describe("what an agent does now", () => {
  it.each<[AgentView["state"], string]>([
    ["alive", "sync"],
    ["resting", "sync"],
    ["dead", "beat"],
    ["late", "beat"],
    ["unknown", "beat"],
    ["paused", "beat"],
  ])("of one that is %s is: %s", (state, said) => {
    expect(activityOf({ ...agent("a", state), action: "sync" })).toBe(said);
  });
});

describe("the filter", () => {
  it.each(["/", "/?state=dead,stalled", "/?group=a+b&host=studio&q=x%26y", "/?state=dead&by=host"])(
    "%s is read and written back",
    (text) => {
      expect(addressOf(filterOf(new URL(text, "http://x").searchParams))).toBe(text);
    },
  );

  it("ignores a state that does not exist", () => {
    expect(isEmpty(filterOf(new URLSearchParams("state=happy")))).toBe(true);
  });

  it.each([
    ["q=STUD", true],
    ["q=resting", false],
    ["q=ALLE beat", true],
    ["group=build", true],
    ["group=other", false],
    ["host=studio&q=alle", true],
    ["host=elsewhere", false],
  ])("%s: %s for an agent of group build", (query, passes) => {
    expect(passesRest(agent("allegro", "alive"), filterOf(new URLSearchParams(query)))).toBe(passes);
  });
});

describe("the headings of the roll", () => {
  const of = (id: string, host: string | null) => ({ ...agent(id, "alive"), host });
  const lines = (by: "" | "host") =>
    linesOf([of("c", "web2"), of("a", null), of("b", "web1"), of("d", "web2")], by).map((line) =>
      "heading" in line ? `${line.heading}:${line.agents.length}` : `${line.agent.id}${line.index}`,
    );

  it("stand by name before their agents, which keep their order and are numbered through", () => {
    expect(lines("host")).toEqual(["web1:1", "b0", "web2:2", "c1", "d2", ":1", "a3"]);
  });
  it("are not there unless asked for", () => expect(lines("")).toEqual(["c0", "a1", "b2", "d3"]));
  it("are no filter", () => expect(isEmpty(filterOf(new URLSearchParams("by=host")))).toBe(true));
});

describe("the rows that are drawn", () => {
  it("are all, while they are few", () =>
    expect(windowOf({ count: 100, row: 36 }, 0, 800)).toEqual({ from: 0, to: 100 }));
  it("are those in view and a few beyond", () => {
    expect(windowOf({ count: 1000, row: 40 }, 4000, 800)).toEqual({ from: 88, to: 132 });
  });
  it("end with the list", () =>
    expect(windowOf({ count: 1000, row: 40 }, 39_600, 800)).toEqual({ from: 978, to: 1000 }));
  it("lie lower by the headings above them, which are higher or lower than a row", () => {
    const heights = { count: 1000, row: 100, heading: 40, headings: [0, 10] };
    expect([0, 1, 10, 11, 1000].map((line) => topOf(line, heights))).toEqual([0, 40, 940, 980, 99_880]);
    expect(windowOf(heights, 2000, 800)).toEqual({ from: 9, to: 42 });
  });
  it("never run backwards where the view lies beyond the list", () => {
    const { from, to } = windowOf({ count: 200, row: 40 }, 90_000, 800);
    expect(from).toBeLessThanOrEqual(to);
  });
});

describe("a column that rows are sorted by", () => {
  const uptimes = ({ id }: AgentView) => [{ a: 9000, b: null, c: 9900 }[id] ?? null];
  const sorted = (query: string) => {
    const all = [agent("c", "alive"), agent("b", "dead", "2026-01-02T00:00:00.000Z"), agent("a", "alive")];
    return all
      .sort(orderOf(filterOf(new URLSearchParams(query)), uptimes))
      .map(({ id }) => id)
      .join("");
  };
  it.each([
    ["", "bac"],
    ["sort=agent", "abc"],
    ["sort=-agent", "cba"],
    ["sort=since", "bac"],
    ["sort=24h", "acb"],
    ["sort=nonsense", "bac"],
  ])("%s: %s", (query, order) => expect(sorted(query)).toBe(order));

  it("is looked into by a search, as everything that a row shows", () => {
    const found = filterOf(new URLSearchParams("q=90.0%25 studio"));
    expect(passesRest(agent("a", "alive"), found, uptimes)).toBe(true);
    expect(passesRest(agent("c", "alive"), found, uptimes)).toBe(false);
  });

  it("is left while rows are pointed at: newcomers come last", () => {
    const places = new Map([
      ["c", 0],
      ["a", 1],
    ]);
    const held = inPlace([agent("a", "dead"), agent("n", "dead"), agent("c", "alive")], places);
    expect(held.map(({ id }) => id)).toEqual(["c", "a", "n"]);
  });
});
