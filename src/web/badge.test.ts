import { expect, it } from "vitest";
import { STATES, type State } from "../core/liveness/state.ts";
import { badge } from "./badge.ts";

it("every state has a badge that names the agent and the state", () => {
  for (const state of Object.keys(STATES) as State[]) {
    const svg = badge("web-1", state);
    expect(svg).toContain(`<title>web-1: ${state}</title>`);
    expect(svg).not.toContain("undefined");
  }
});
