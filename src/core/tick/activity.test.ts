import { describe, expect, it } from "vitest";
import type { State } from "../liveness/state.ts";
import type { Flip } from "../liveness/verdict.ts";
import { uptime } from "./activity.ts";

const flip = (at: number, from: State, to: State): Flip => ({
  ...{ agent: "a", from, to, at, noticedAt: at, reason: "beat", why: "" },
});
const span = { from: 100, to: 200 };

describe("uptime", () => {
  it.each<[string, Flip[], State | undefined, number | undefined]>([
    ["nothing is known", [], undefined, undefined],
    ["alive all the time", [], "alive", 1],
    ["dead all the time", [], "dead", 0],
    ["never judged", [], "paused", undefined],
    ["dead for its second half", [flip(150, "alive", "dead")], "dead", 0.5],
    ["alive since its middle, unknown before", [flip(150, "new", "alive")], "alive", 1],
    ["dead in its middle fifth", [flip(160, "dead", "alive"), flip(140, "late", "dead")], "alive", 0.8],
    [
      "dead before it, and back before it",
      [flip(90, "dead", "alive"), flip(80, "alive", "dead")],
      "alive",
      1,
    ],
    ["dead since before it", [flip(80, "alive", "dead")], "dead", 0],
    ["half of it not watched", [flip(175, "unknown", "dead"), flip(125, "alive", "unknown")], "dead", 0.5],
  ])("%s", (_, flips, now, share) => {
    expect(uptime(flips, span, now)).toBe(share);
  });
});
