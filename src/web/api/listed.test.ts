import { describe, expect, it } from "vitest";
import { asJson, Listed } from "./listed.ts";

async function piecesOf(listed: Listed): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of listed.pieces()) pieces.push(piece);
  return pieces;
}

describe("a list that is answered piece by piece", () => {
  it.each([
    ["alone", new Listed("a", ["1", "2"]), '{"a":[1,2]}\n'],
    ["empty", new Listed("a", []), '{"a":[]}\n'],
    ["without what has nothing to show", new Listed("a", ["", "1", "", "2", ""]), '{"a":[1,2]}\n'],
    [
      "with something around it",
      new Listed("a", ["1"], { head: { h: "x" }, tail: () => ({ next: null }) }),
      '{"h":"x","a":[1],"next":null}\n',
    ],
    ["as an object", new Listed("a", ['"k":1', '"l":2'], { brackets: "{}" }), '{"a":{"k":1,"l":2}}\n'],
  ])("is whole JSON: %s", async (_, listed, expected) => {
    expect((await piecesOf(listed)).join("")).toBe(expected);
  });

  it("is made while it is read, and others get their turn in between", async () => {
    let made = 0;
    const items = Array.from({ length: 10_000 }, (_, n) => ({
      toJSON: () => {
        made += 1;
        return { n, text: "x".repeat(1000) };
      },
    }));
    const listed = new Listed("a", asJson(items));
    let turns = 0;
    const count = () => {
      turns += 1;
      if (made < items.length) setImmediate(count);
    };
    setImmediate(count);
    const pieces = listed.pieces();
    await pieces.next();
    expect(made).toBeLessThan(200);
    const rest: string[] = [];
    for await (const piece of pieces) rest.push(piece);
    expect(made).toBe(items.length);
    expect(turns).toBeGreaterThan(100);
    expect(Math.max(...rest.map(({ length }) => length))).toBeLessThan(70_000);
  });
});
