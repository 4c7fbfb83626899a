import { describe, expect, it } from "vitest";
import { DAY, HOUR } from "../duration.ts";
import type { State } from "./state.ts";
import { type Cuts, timesOf, timesOfOne, upOf } from "./state-times.ts";

const flip = (at: number, from: State, to: State) => ({ at, from, to });
const cuts: Cuts = { from: 100, until: 130, width: 10 };

describe("the times of an agent in its states", () => {
  it.each<[string, ReturnType<typeof flip>[], object[]]>([
    [
      "are those of the state before the first flip, and after it",
      [flip(105, "alive", "dead")],
      [{ alive: 5, dead: 5 }, { dead: 10 }, { dead: 10 }],
    ],
    [
      "begin with the first flip of an agent that was new",
      [flip(115, "new", "alive")],
      [{}, { alive: 5 }, { alive: 10 }],
    ],
    [
      "add up where a state comes back",
      [
        flip(101, "alive", "late"),
        flip(103, "late", "alive"),
        flip(104, "alive", "late"),
        flip(105, "late", "alive"),
      ],
      [{ alive: 7, late: 3 }, { alive: 10 }, { alive: 10 }],
    ],
    [
      "leave out a state that lasted no time",
      [flip(110, "alive", "late"), flip(110, "late", "dead")],
      [{ alive: 10 }, { dead: 10 }, { dead: 10 }],
    ],
    ["end with the span", [flip(140, "alive", "dead")], [{ alive: 10 }, { alive: 10 }, { alive: 10 }]],
    ["are unknown without a flip", [], [{}, {}, {}]],
  ])("%s", (_, flips, parts) => expect(timesOf(flips, cuts)).toEqual(parts));

  it("fill a last part that is shorter", () => {
    expect(timesOf([flip(119, "alive", "dead")], { from: 100, until: 125, width: 10 })).toEqual([
      { alive: 10 },
      { alive: 9, dead: 1 },
      { dead: 5 },
    ]);
  });

  it("of one that did not flip are all of its state, since when it is in it", () => {
    expect(timesOfOne("resting", 112, cuts)).toEqual([{}, { resting: 8 }, { resting: 10 }]);
    expect(timesOfOne("dead", 3, cuts)).toEqual([{ dead: 10 }, { dead: 10 }, { dead: 10 }]);
  });
});

describe("uptime", () => {
  it("is the judged time that was not dead, stalled or failing", () => {
    const parts = [
      { alive: 20 * HOUR, dead: HOUR, unknown: 3 * HOUR },
      { resting: 12 * HOUR, waiting: 6 * HOUR, failing: HOUR, paused: 5 * HOUR },
    ];
    expect(upOf(parts)).toEqual({ up: 38 * HOUR, judged: 40 * HOUR });
  });
  it("is unknown where nothing was judged", () =>
    expect(upOf([{ paused: DAY }, {}])).toEqual({ up: 0, judged: 0 }));
});
