import { describe, expect, it } from "vitest";
import { begun, ended, gone, heard, m, present, reads, wrapped } from "./case.fixture.ts";
import { remember } from "./memory.ts";
import type { Observation } from "./observation.ts";

function remembered(now: number, ...facts: readonly Observation[]): readonly Observation[] {
  return facts.reduce<readonly Observation[]>((known, fact) => remember(known, fact, m(now)), []);
}

describe("remember", () => {
  it.each<[string, Observation[], Observation[]]>([
    ["the newest beat", [heard(1), heard(2)], [heard(2, { firstAt: m(1) })]],
    ["not a late one", [heard(2), heard(1)], [heard(2, { firstAt: m(1) })]],
    ["a beat of the wrapper beside the agent's own", [heard(1), wrapped(2)], [heard(1), wrapped(2)]],
    [
      "a beat of each host",
      [heard(1, { host: "ann" }), heard(2, { host: "bob" })],
      [heard(1, { host: "ann" }), heard(2, { host: "bob" })],
    ],
    [
      "the error of two beats at one instant",
      [heard(1, { status: "error" }), heard(1)],
      [heard(1, { status: "error" })],
    ],
    [
      "the same of three beats, of which two came at one instant",
      [heard(2, { message: "a" }), heard(2, { message: "b" }), heard(1)],
      [heard(2, { message: "b", firstAt: m(1) })],
    ],
    [
      "… whichever came first",
      [heard(1), heard(2, { message: "a" }), heard(2, { message: "b" })],
      [heard(2, { message: "b", firstAt: m(1) })],
    ],
    ["a cycle's begin beside its end", [begun(1), ended(2), begun(3)], [begun(3), ended(2)]],
    ["what was looked at last", [gone(5, 6), gone(4, 8)], [gone(4, 8)]],
    [
      "what was told without a token beside what the agent told",
      [
        reads("waiting", 1, 1, 1, { signal: "beat" }),
        reads("working", 2, 2, 2, { signal: "beat", unproven: true }),
      ],
      [
        reads("waiting", 1, 1, 1, { signal: "beat" }),
        reads("working", 2, 2, 2, { signal: "beat", unproven: true }),
      ],
    ],
    [
      "each signal for itself",
      [present(1), present(2, { signal: "tmux" })],
      [present(1), present(2, { signal: "tmux" })],
    ],
  ])("keeps %s", (_, facts, kept) => {
    expect(remembered(10, ...facts)).toEqual(kept);
  });

  it.each<[string, Observation[], Observation[]]>([
    ["a beat from before the clock was set back", [heard(90), heard(1)], [heard(1)]],
    ["a beat of another source from before", [wrapped(90), begun(90), heard(1)], [heard(1)]],
    ["an end that was seen before", [gone(80, 90), present(1)], [present(1)]],
    ["… by less than a minute", [gone(3.2, 3.5), present(3)], [present(3)]],
    ["a look that saw it, by less than a minute", [present(3.5), gone(2, 3)], [gone(2, 3)]],
    ["not what another signal saw", [gone(80, 90), heard(1)], [gone(80, 90), heard(1)]],
    [
      "a screen whose last content lies ahead",
      [reads("working", 1, 2, 90), reads("idle", 2, 3)],
      [reads("idle", 2, 3)],
    ],
  ])("ends what is not believed when something believable is heard: %s", (_, facts, kept) => {
    expect(remembered(3, ...facts)).toEqual(kept);
  });

  it("does not end it for what waited since before the clock was set", () => {
    const known = [heard(90)];
    expect(remember(known, heard(1), m(10), m(5))).toEqual([heard(90, { firstAt: m(1) })]);
    expect(remember(known, heard(6), m(10), m(5))).toEqual([heard(6)]);
  });

  it("keeps a stamp from the future while nothing else is heard", () => {
    expect(remembered(3, heard(1), heard(90))).toEqual([heard(90, { firstAt: m(1) })]);
  });

  it("forgets the host that has been silent longest", () => {
    const crowd = [1, 2, 3, 4, 5, 6, 7].map((minute) => heard(minute, { host: `host${minute}` }));
    expect(remembered(10, ...crowd)).toEqual(crowd.slice(1));
  });
});
