import { describe, expect, it } from "vitest";
import { isPicture, rowsOf } from "./ansi.ts";

const said = (text: string) =>
  rowsOf(text).map((row) =>
    row.map(({ text, looks, colour, ground }) =>
      [text, ...looks, ...(colour ? [colour] : []), ...(ground ? [`on ${ground}`] : [])].join(" "),
    ),
  );

describe("a terminal's rows", () => {
  it.each<[string, string, string[][]]>([
    ["plain text stays", "a\nb", [["a"], ["b"]]],
    ["colours and boldness are read, and end", "\x1b[1;31mred\x1b[0m x", [["red x-bold x-f-1", " x"]]],
    ["a look lasts beyond its row", "\x1b[32ma\nb\x1b[39mc", [["a x-f-2"], ["b x-f-2", "c"]]],
    ["bright colours", "\x1b[94mx\x1b[103my", [["x x-f-12", "y x-f-12 x-b-11"]]],
    [
      "colours of the 256 and of all",
      "\x1b[38;5;208mx\x1b[48;2;1;2;3my",
      [["x #ff8700", "y #ff8700 on #010203"]],
    ],
    ["inverse swaps", "\x1b[7mx\x1b[27my", [["x x-f-ground x-b-text", "y"]]],
    [
      "other codes and control characters are left out",
      "a\x1b]0;title\x07b\x1b[?25lc\x08",
      [["a", "b", "c"]],
    ],
  ])("%s", (_, text, rows) => expect(said(text)).toEqual(rows));

  it("are a picture where nothing moves the cursor", () => {
    expect(isPicture("\x1b[31mred\x1b[0m")).toBe(true);
    expect(isPicture("a\x1b[2Kb")).toBe(false);
  });
});
