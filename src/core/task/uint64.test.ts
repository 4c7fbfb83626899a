import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readUint64 } from "./uint64.ts";

describe("a value of 64 bits", () => {
  it.each<[unknown, bigint]>([
    [0, 0n],
    [Number.MAX_SAFE_INTEGER, 9007199254740991n],
    ["18446744073709551615", 18446744073709551615n],
    ["0xFFFFFFFFFFFFFFFF", 18446744073709551615n],
    ["0x3", 3n],
    [7n, 7n],
  ])("is read from %s", (value, read) => {
    expect(readUint64(value)).toBe(read);
  });

  it.each([
    ...[-1, 1.5, Number.NaN, 2 ** 53, 1e18, -1n, 2n ** 64n, "18446744073709551616", "-1", "1.0", "1e3", ""],
    ...[" 1", "01", "0x", "0x1FFFFFFFFFFFFFFFF", "9".repeat(1_000_000), null, undefined, true, [], {}, [1]],
  ])("is not read from what is none or may have been rounded (case %#)", (value) => {
    expect(readUint64(value)).toBeUndefined();
  });

  it("survives being written in decimal and in hexadecimal", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        expect(readUint64(String(value))).toBe(value);
        expect(readUint64(`0x${value.toString(16)}`)).toBe(value);
      }),
    );
  });
});
