import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sayProblem } from "../beat-input.ts";
import { CAPABILITIES, holds, readCapabilities, sayCapabilities } from "./capabilities.ts";

function said(value: unknown): string {
  const read = readCapabilities(value);
  return "problem" in read ? sayProblem(read.problem) : String(read.mask);
}

describe("a mask of capabilities", () => {
  it.each<[unknown, string]>([
    [3, "3"],
    ["3", "3"],
    ["0x3", "3"],
    [3n, "3"],
    [["COMPUTE", "inference"], "3"],
    [["AGGREGATOR", "AGGREGATOR"], "512"],
    [[], "0"],
    ["18446744073709551615", "18446744073709551615"],
  ])("is read from %s", (value, mask) => {
    expect(said(value)).toBe(mask);
  });

  const form = 'a bit mask such as 3, "0x3" or ["COMPUTE", "INFERENCE"], of at most 64 bits';
  it.each<[unknown, string]>([
    [undefined, `capabilities: expected ${form}, not nothing`],
    [-1, `capabilities: expected ${form}, not -1`],
    ["COMPUTE", `capabilities: expected ${form}, not "COMPUTE"`],
    [2n ** 64n, `capabilities: expected ${form}, not "18446744073709551616"`],
    [2 ** 60, `capabilities: expected ${form}, as text beyond 2^53, not 1152921504606847000`],
    [{}, `capabilities: expected ${form}, not "(an object)"`],
    [["COMPUTE", "INFERENSE"], 'capabilities[1]: expected "INFERENCE", not "INFERENSE"'],
    [["dance"], `capabilities[0]: expected one of ${CAPABILITIES.join(", ")}, not "dance"`],
    [[3], `capabilities[0]: expected one of ${CAPABILITIES.join(", ")}, not 3`],
  ])("says what would be right instead of %s", (value, problem) => {
    expect(said(value)).toBe(problem);
  });

  it("is held only if every required bit is", () => {
    expect(holds(0b011n, 0b001n)).toBe(true);
    expect(holds(0b011n, 0b101n)).toBe(false);
    expect(holds(0n, 0n)).toBe(true);
    expect(holds(2n ** 63n, 2n ** 63n)).toBe(true);
    expect(holds(2n ** 53n, 2n ** 53n + 1n)).toBe(false);
  });

  it("is named in words, and the names lead back to it", () => {
    expect(sayCapabilities(0n)).toBe("none");
    expect(sayCapabilities(3n)).toBe("COMPUTE, INFERENCE");
    expect(sayCapabilities(2n ** 63n + 1n)).toBe("COMPUTE, bit 63");
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** BigInt(CAPABILITIES.length) - 1n }), (mask) => {
        expect(readCapabilities(sayCapabilities(mask).split(", "))).toEqual({ mask });
      }),
    );
  });
});
