import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonFault } from "./exact-json.ts";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("where JSON goes wrong", () => {
  /** The fault stands behind the mark. */
  it.each([
    ["a comma at the end of a list", "[1,▸]"],
    ["a comma at the end of an object", '{"a": 1,▸}'],
    ["a missing comma", '[{"a": 1}\n ▸{"a": 2}]'],
    ["a missing colon", '{"a" ▸1}'],
    ["a key without quotes", "{▸a: 1}"],
    ["single quotes", "[▸'a']"],
    ["a text that is not closed", '["a", ▸"b]'],
    ["a line break in a text", '[▸"a\nb"]'],
    ["a zero before a number", "[▸01]"],
    ["a word", "▸undefined"],
    ["a comment", "[▸// nothing\n]"],
    ["the wrong bracket", "[1▸}"],
    ["something behind the end", "[] ▸[]"],
    ["an end that comes too early", '{"a": [1, 2▸'],
    ["nothing", " ▸"],
  ])("finds %s", (_, marked) => {
    const text = marked.replace("▸", "");
    expect(isJson(text)).toBe(false);
    expect(jsonFault(text)).toBe(marked.indexOf("▸"));
  });

  it("finds a fault exactly where JSON.parse does not accept a text", () => {
    const broken = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom("", ",", "]", "}", '"', "\\", "0", "-", ".", "e", " ", "\n", "a", ":"),
      )
      .map(([text, at, put]) => {
        const cut = at % (text.length + 1);
        return text.slice(0, cut) + put + text.slice(cut + 1);
      });
    fc.assert(
      fc.property(
        fc.oneof(fc.json(), broken, fc.string({ unit: fc.constantFrom(...'[]{},:"1-.e0 tn') })),
        (text) => {
          expect(jsonFault(text) === undefined).toBe(isJson(text));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("is neither slow nor deep with hostile text", () => {
    expect(jsonFault("[".repeat(1_000_000))).toBe(1_000_000);
    expect(jsonFault(`["${"a".repeat(10_000_000)}${"\\n".repeat(1_000_000)}",]`)).toBe(12_000_004);
  });
});
