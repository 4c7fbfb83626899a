import { describe, expect, it } from "vitest";
import { asJson } from "./state.ts";

describe("asJson", () => {
  it("writes 64-bit integers as text, also deep inside", () => {
    expect(asJson({ reward: 18446744073709551615n, list: [1n] })).toEqual({
      reward: "18446744073709551615",
      list: ["1"],
    });
  });

  it("copies, so that later changes stay outside", () => {
    const value = { seen: [1] };
    const copy = asJson(value);
    value.seen.push(2);
    expect(copy).toEqual({ seen: [1] });
  });

  it.each([[undefined], [() => 1], [Symbol("s")]])("refuses %s", (value) => {
    expect(() => asJson(value)).toThrow(/is not JSON/);
  });

  it("refuses what contains itself", () => {
    const value: Record<string, unknown> = {};
    value.self = value;
    expect(() => asJson(value)).toThrow(/circular/);
  });
});
