import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "./exact-json.ts";

describe("JSON with exact numbers", () => {
  it.each([
    ["the largest of 64 bits", "18446744073709551615", "18446744073709551615"],
    ["one beyond what a number holds", '{"reward": 9007199254740993}', { reward: "9007199254740993" }],
    ["the least of 64 bits, signed", "[-9223372036854775808]", ["-9223372036854775808"]],
    ["a fraction that would round to 1", "0.99999999999999999999", "0.99999999999999999999"],
    ["a power with too many digits", "[900719925.4740990999e7]", ["900719925.4740990999e7"]],
    ["15 digits, which are safe", "[999999999999999, 1e18, -0.5]", [999999999999999, 1e18, -0.5]],
    ["digits inside of a text", '["18446744073709551615"]', ["18446744073709551615"]],
    ["digits behind an escaped quote", '["a\\" 18446744073709551615"]', ['a" 18446744073709551615']],
    [
      "digits behind a text that ends in a backslash",
      '["\\\\",18446744073709551615]',
      ["\\", "18446744073709551615"],
    ],
    ["digits in a key", '{"18446744073709551615": 1}', { "18446744073709551615": 1 }],
  ])("keeps %s", (_, text, value) => {
    expect(parseExactJson(text)).toEqual(value);
  });

  it.each([
    "{18446744073709551615: 1}",
    "[018446744073709551615]",
    "[18446744073709551615.]",
    "18446744073709551615 18446744073709551615",
    "[--18446744073709551615]",
    '["18446744073709551615',
    "",
  ])("refuses what is no JSON, also where quotes would make it JSON: %s", (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });

  it("gives any whole number back digit for digit, wherever it stands", () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.string(), fc.string(), (number, key, before) => {
        const text = `{${JSON.stringify(`k${key}`)}:[${JSON.stringify(before)},${number},{"n" : ${number}}]}`;
        const [, first, second] = (parseExactJson(text) as Record<string, unknown[]>)[`k${key}`] ?? [];
        expect(String(first)).toBe(String(number));
        expect(String((second as { n: unknown }).n)).toBe(String(number));
      }),
    );
  });

  it("is JSON.parse for all that has no long numbers", () => {
    const short = fc.anything({ values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)] });
    fc.assert(
      fc.property(short, fc.constantFrom(undefined, 2), (value, indent) => {
        // The first entry makes sure that the long way is taken.
        const text = JSON.stringify(["1234567890123456", value], null, indent);
        expect(parseExactJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("is neither slow nor deep with hostile text", () => {
    const long = `["${"\\\\".repeat(500_000)}",${"[".repeat(100_000)}12345678901234567890${"]".repeat(100_000)}]`;
    expect((parseExactJson(long) as unknown[])[0]).toHaveLength(500_000);
  });
});
