import { expect, it } from "vitest";
import { Turns } from "./turns.ts";

it("gives one turn after the other, each once, and none to wait for after a pause or a clock that was set back", () => {
  const turns = new Turns();
  expect([turns.of("a", 0), turns.of("b", 0), turns.of("c", 1000), turns.of("a", 9000)]).toEqual([
    0, 3000, 6000, 0,
  ]);
  expect(turns.of("d", 60_000)).toBe(60_000);
  expect(turns.of("e", -1e9)).toBe(-1e9);
});
