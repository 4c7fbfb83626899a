import { describe, expect, it } from "vitest";
import { toldIn } from "./told.ts";

const record = (body: unknown, end = "\u0007") => `\u001b]7766;${JSON.stringify(body)}${end}`;
const told = (text: string) => toldIn(new TextEncoder().encode(text), "allegro", 5000);

describe("a liveness record in a terminal", () => {
  it("is a beat without a token, and the last one counts", () => {
    const text = `a${record({ state: "working" })}b${record({ state: "waiting", asks: "Deploy?" }, "\u001b\\")}c`;
    expect(told(text)).toMatchObject([
      { kind: "beat", at: 5000, unproven: true },
      { kind: "reading", signal: "beat", reading: "waiting", asks: { question: "Deploy?" }, unproven: true },
    ]);
  });

  it.each([
    ["one for another agent", record({ agent: "adagio", state: "idle" })],
    ["one that is cut", record({ state: "idle" }).slice(0, -3)],
    ["one that is no JSON", "\u001b]7766;{state}\u0007"],
    ["one with a state that nobody knows", record({ state: "dancing" })],
    ["another sequence", "\u001b]7501;state=idle\u0007"],
  ])("%s says nothing", (_name, text) => expect(told(text)).toEqual([]));
});
