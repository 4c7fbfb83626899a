import fc from "fast-check";
import { expect, test } from "vitest";
import { UNSEEN } from "../../ports/channel.contract.ts";
import { defuse, plain } from "./plain.ts";

test.each([
  ["\u001b[1;31mred\u001b[0m", "red", "colours"],
  ["\u001b]0;title\u0007text", "text", "a window's title"],
  ["\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\", "click", "a link of a terminal"],
  ["\u009b31mred \u009d0;x\u009cy", "red y", "the same in single characters"],
  ["\u001bPq#0\u001b\\x\u001bcy\u001b(Bz", "xyz", "graphics, a reset, a set of characters"],
  ["\u001b\u001b[0m[31mx", "[31mx", "a sequence that would be one after another is gone"],
  ["a\r\nb\tc\u0000d", "a b c d", "line ends and other controls"],
  ["a\u202eb\u200bc\u2066d\u2028e", "a b c d e", "what is not seen or turns the direction"],
  ["a\ud800b🙂", "a\ufffdb🙂", "half of a character"],
  ["  grün 漢字  ", "grün 漢字", "letters stay"],
])("%j becomes %j: %s", (text, shown) => {
  expect(plain(text)).toBe(shown);
});

test("whatever it is given, nothing unseen is left, and doing it twice changes nothing", () => {
  const characters = fc.constantFrom(
    "\u001b",
    "[",
    "]",
    "\u009b",
    "\u0007",
    "\\",
    "3",
    "m",
    ";",
    "a",
    "\n",
    "\u202e",
    "\ud83d",
  );
  fc.assert(
    fc.property(fc.string({ unit: characters }), (text) => {
      expect(plain(text)).not.toMatch(UNSEEN);
      expect(plain(plain(text))).toBe(plain(text));
    }),
  );
});

test.each(["\u001b[", "\u001b]", "\u001b", "\u009b0;", "\u001b]8;;", "\u001b[0 "])(
  "a megabyte of %j is read at once",
  (part) => {
    expect(plain(part.repeat(1_000_000 / part.length)).length).toBeLessThan(1_000_000);
  },
);

test("no mention and no address is left whole", () => {
  expect(defuse("@everyone see https://evil.example")).toBe("@\u2060everyone see https:\u2060//evil.example");
});
