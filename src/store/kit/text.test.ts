import fc from "fast-check";
import { expect, it } from "vitest";
import { fromColumn, toColumn } from "./text.ts";

it("gives any text back, and stores no NUL and no half character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((n) => String.fromCharCode(n)) }),
      (text) => {
        const column = toColumn(text);
        expect(column).not.toMatch(/\0|\p{Surrogate}/u);
        expect(fromColumn(column)).toBe(text);
      },
    ),
  );
});

it("leaves ordinary text as it is, and keeps what looks escaped apart", () => {
  expect(toColumn("sync inbox 🫀\n")).toBe("sync inbox 🫀\n");
  expect(toColumn("a\0b")).toBe("a\x100000b");
  expect(fromColumn(toColumn("\x100000"))).toBe("\x100000");
});
