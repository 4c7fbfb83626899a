import { describe, expect, it } from "vitest";
import { type Strip, stretches, stripsOf, withState } from "./strips.ts";

const strip: Strip = [
  [0, "alive"],
  [50, "dead"],
];

describe("a strip of life", () => {
  it("is read from seconds after its beginning", () => {
    const [from, to] = ["1970-01-01T00:00:01.000Z", "1970-01-02T00:00:01.000Z"];
    expect(stripsOf({ from, to, agents: { a: [[2, "dead"]] } }).get("a")).toEqual([[3000, "dead"]]);
  });

  it("is cut at the window, and its last state lasts until the end of it", () => {
    expect(stretches(strip, 25, 125)).toEqual([
      { state: "alive", from: 0, to: 0.25 },
      { state: "dead", from: 0.25, to: 1 },
    ]);
  });

  it("shows nothing where nothing is known", () => {
    expect(stretches([[75, "new"]], 0, 100)).toEqual([{ state: "new", from: 0.75, to: 1 }]);
  });

  it("grows by the state that stands now, and only if that is another", () => {
    expect(withState(strip, "dead", 50)).toBe(strip);
    expect(withState(strip, "alive", 80).at(-1)).toEqual([80, "alive"]);
  });

  it("lets a flip that is dated earlier replace what was thought of that time", () => {
    expect(withState(strip, "stalled", 40)).toEqual([
      [0, "alive"],
      [40, "stalled"],
    ]);
  });
});
