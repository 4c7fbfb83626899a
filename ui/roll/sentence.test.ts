import { describe, expect, it } from "vitest";
import { countStates } from "../../src/core/liveness/state.ts";
import type { State } from "../api/shapes.ts";
import { sentenceOf } from "./sentence.ts";

const say = (states: State[], ...channels: string[]) =>
  sentenceOf(
    countStates(states.map((state) => ({ state }))),
    channels.map((place) => ({
      place,
      since: "2026-01-01T00:00:00.000Z",
      undelivered: 1,
      attempts: 3,
      problem: "",
    })),
  ).map(({ text }) => text);

describe("the sentence that matters", () => {
  it.each<[string, State[], string[]]>([
    ["says that all is well", ["alive", "resting", "paused"], ["All 3 agents are well"]],
    ["says it of one", ["alive"], ["The agent is well"]],
    [
      "names those who wait first",
      ["dead", "waiting", "waiting", "alive"],
      ["2 agents wait for you", "1 is dead"],
    ],
    [
      "goes from worst to best",
      ["limited", "failing", "stalled", "stalled"],
      ["2 agents are stalled", "1 is failing", "1 is at a limit"],
    ],
    ["speaks of one agent as of one", ["dead", "alive"], ["1 agent is dead"]],
  ])("%s", (_, states, clauses) => expect(say(states)).toEqual(clauses));

  it("ends with the channels that deliver nothing", () =>
    expect(say(["alive", "alive"], "ops", "mail")).toEqual([
      "All 2 agents are well",
      "messages to ops fail",
      "messages to mail fail",
    ]));
});
