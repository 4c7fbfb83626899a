import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeHtml } from "./plain.ts";
import { inBytes, inCharacters, shorten } from "./shorten.ts";

const bold = (text: string) => `<b>${escapeHtml(text)}</b>`;

test.each([
  ["short", 5, undefined, "short"],
  ["longer", 5, undefined, "long…"],
  ["a  b", 3, undefined, "a…"],
  ["a<b", 13, bold, "<b>a&lt;b</b>"],
  ["a<bc", 13, bold, "<b>a&lt;…</b>"],
  ["a<bc", 12, bold, "<b>a…</b>"],
  ["abc", 7, bold, ""],
  ["🙂🙂🙂", 5, undefined, "🙂🙂…"],
  ["🙂🙂🙂", 4, undefined, "🙂…"],
  ["abc", 0, undefined, ""],
  ["abc", -3, undefined, ""],
])("%j in %d is cut before it is dressed", (text, room, dress, shown) => {
  expect(shorten(text, room, dress)).toBe(shown);
});

test("bytes are counted where the service counts bytes", () => {
  expect(shorten("ü".repeat(10), 11, undefined, inBytes)).toBe("üüüü…");
});

test("it fits whatever it is, and is empty, whole, or ends with a mark", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.nat(60),
      fc.constantFrom(inBytes, inCharacters),
      (text, room, measure) => {
        const shown = shorten(text, room, bold, measure);
        expect(measure(shown)).toBeLessThanOrEqual(room);
        expect(shown === "" || shown === bold(text) || shown.endsWith("…</b>")).toBe(true);
        expect(shown.isWellFormed()).toBe(true);
      },
    ),
  );
});
