import fc from "fast-check";
import { expect, it } from "vitest";
import { pictureOnly } from "./terminal.ts";

const end = "\x1b[0m";

it.each([
  ["the clipboard", "a\x1b]52;c;aGk=\x07b", "ab"],
  ["the clipboard, in eight bits", "a\x9d52;c;aGk=\x9cb", "ab"],
  ["a title", "a\x1b]0;rm -rf ~\x1b\\b", "ab"],
  ["a string without an end", "a\x1b]52;c;aGk=", "a"],
  ["a device string", 'a\x1bP$q"p\x1b\\b', "ab"],
  ["a report of the title", "a\x1b[21tb", "ab"],
  ["questions to the terminal", "a\x1b[6n\x1b[c\x1b[>q\x1b[?2026$pb", "ab"],
  ["modes", "a\x1b[?1049h\x1b[?1003h\x1b[4hb", "ab"],
  ["a number that a terminal counts up to", "a\x1b[2147483647bb", "ab"],
  ["a reset, character sets and the bell", "a\x1bc\x1b(0\x07b", "ab"],
  ["what is left when something else was removed", "a\x1b\x1b]0;x\x07]52;c;aGk=\x07b", "a]52;c;aGk=b"],
])("raw output on a terminal has no %s", (_, text, expected) => {
  expect(pictureOnly(text)).toBe(expected + end);
});

it("raw output on a terminal keeps colours, moves and line ends", () => {
  const text = "\x1b[1;31mred\x1b[0m\x1b[2J\x1b[3;5H\x1b[Kx\r\n\tü✻";
  expect(pictureOnly(text)).toBe(text + end);
});

it("raw output on a terminal has no other sequence, whatever was written", () => {
  const piece = fc.constantFrom(
    ...[
      "\x1b",
      "[",
      "]",
      "P",
      "\\",
      "\x07",
      "\x9b",
      "\x9d",
      "\x9c",
      "5",
      ";",
      "2",
      "m",
      "H",
      "c",
      "t",
      "?",
      "h",
      "\x18",
      "a",
    ],
  );
  fc.assert(
    fc.property(fc.array(piece), (all) => {
      const left = pictureOnly(all.join("")).replace(/\x1b\[[\d;:]*[A-HJ-MPSTXZ@`abdefm]/g, "");
      expect(left).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/);
    }),
    { numRuns: 1000 },
  );
});
