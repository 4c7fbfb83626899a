import { describe, expect, it } from "vitest";
import type { IncidentView, State } from "../api/shapes.ts";
import { usefulOf } from "./useful.ts";

const incident = { acknowledged: null } as IncidentView;
const taken = { acknowledged: { by: "ada", at: "" } } as IncidentView;

describe("the one useful button", () => {
  it.each<[string, State, Partial<Parameters<typeof usefulOf>[1]>, string | undefined]>([
    ["brings a dead agent back", "dead", { steps: ["nudge", "restart"] }, "restart"],
    ["nudges one that is stalled before it restarts it", "stalled", { steps: ["nudge", "restart"] }, "nudge"],
    [
      "restarts one that is stalled if nothing else is declared",
      "stalled",
      { steps: ["restart"] },
      "restart",
    ],
    ["asks the host of a dead agent", "dead", { byHost: true }, "next-step"],
    ["acknowledges where no step is declared", "dead", { incident }, "acknowledge"],
    ["is none where the incident is acknowledged", "dead", { incident: taken }, undefined],
    ["resumes one that is paused", "paused", { incident, steps: ["restart"] }, "resume"],
    ["leaves one that waits to its question", "waiting", { incident, steps: ["restart"] }, undefined],
    ["is none for one that is well", "alive", { steps: ["nudge", "restart", "wake"] }, undefined],
  ])("%s", (_, state, known, deed) =>
    expect(usefulOf({ state }, { incident: undefined, steps: [], byHost: false, ...known })).toBe(deed),
  );
});
