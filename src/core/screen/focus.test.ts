import { describe, expect, it } from "vitest";
import { drawnFocus, type FocusCell } from "./focus.ts";

/** A cell for each character: letters name their background, a dot is the default one. */
const row = (grounds: string): FocusCell[] =>
  [...grounds].map((ground, x) => ({ x, text: " ", ground: ground === "." ? -1 : ground.charCodeAt(0) }));

describe("a cursor that a program draws", () => {
  it.each([
    ["between cells that look alike", "..a...", 2],
    ["in a panel", "pppcpp", 3],
    ["at the beginning of a row", "c.....", 0],
    ["at the end of a row", "ppppc", 4],
  ])("is found %s", (_, grounds, x) => {
    expect(drawnFocus([row("......"), row(grounds)])).toEqual({ x, y: 1 });
  });
  it.each([
    ["a button that begins one column after its panel", "pbbbbppp"],
    ["a button that ends one column before its panel", "pppbbbbp"],
    ["a panel", "pppppp"],
    ["a button", "..bbb."],
    ["what a status bar leaves free at its end", "bbbbb."],
  ])("is not %s", (_, grounds) => {
    expect(drawnFocus([row(grounds)])).toBeNull();
  });
});
