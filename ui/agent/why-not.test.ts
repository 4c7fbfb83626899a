import { describe, expect, it } from "vitest";
import type { AgentView, IncidentView, State } from "../api/shapes.ts";
import { whyNot } from "./why-not.ts";

const agent = (state: State) => ({ state }) as AgentView;
const incident = (by?: string) =>
  ({ acknowledged: by === undefined ? null : { at: "2026-01-01T00:00:00.000Z", by } }) as IncidentView;

describe("what can be done about an agent", () => {
  it.each<[State, boolean]>([
    ["dead", true],
    ["stalled", true],
    ["waiting", true],
    ["limited", true],
    ["paused", false],
  ])("one that is %s may be restarted: %s", (state, may) => {
    expect(whyNot(agent(state), undefined).restart === undefined).toBe(may);
  });

  it("nobody nudges the dead", () => expect(whyNot(agent("dead"), undefined).nudge).toMatch(/dead/));

  it("there is something to acknowledge only once", () => {
    expect(whyNot(agent("dead"), undefined).acknowledge).toMatch(/no open incident/);
    expect(whyNot(agent("dead"), incident()).acknowledge).toBeUndefined();
    expect(whyNot(agent("dead"), incident("ada")).acknowledge).toContain("ada");
  });
});
