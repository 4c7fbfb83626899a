import { describe, expect, it } from "vitest";
import { cut, cutMiddle, width } from "./width.ts";

describe("width", () => {
  it.each([
    ["plain text", "sync inbox", 10],
    ["accents that are characters of their own", "e\u0301te\u0301", 3],
    ["Chinese, Japanese and Korean", "東京 한국", 9],
    ["fullwidth letters", "ＡＢ", 4],
    ["an emoji", "🚀", 2],
    ["an emoji of several parts", "👩‍🚀👍🏽🇫🇷", 6],
    ["a sign that is shown as an emoji", "❤️", 2],
    ["a sign that is not", "❤✓→…", 4],
    ["Arabic with vowel marks", "مَرْحَبًا", 5],
    ["nothing", "", 0],
  ])("of %s", (_, text, columns) => expect(width(text)).toBe(columns));
});

describe("cut", () => {
  it.each([
    ["what fits stays", "allegro", 7, "allegro", "allegro"],
    ["an ellipsis takes one column", "allegro", 6, "alleg…", "all…ro"],
    ["a wide character is not halved", "東京都港区", 6, "東京…", "東…区"],
    ["an emoji of several parts is not taken apart", "👩‍🚀👩‍🚀👩‍🚀", 5, "👩‍🚀👩‍🚀…", "👩‍🚀…👩‍🚀"],
    ["an accent stays with its letter", "ne\u0301e\u0301s", 3, "ne\u0301…", "n…s"],
    ["one column", "allegro", 1, "…", "…"],
    ["none", "allegro", 0, "", ""],
  ])("%s", (_, text, columns, atEnd, inMiddle) => {
    expect(cut(text, columns)).toBe(atEnd);
    expect(cutMiddle(text, columns)).toBe(inMiddle);
  });
});
