import fc from "fast-check";
import { expect, test } from "vitest";
import { uuidv7 } from "./uuid.ts";

const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("ids begin with their milliseconds", () => {
  const now = Date.now();
  const id = uuidv7(now);
  expect(id).toMatch(FORM);
  expect(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toBe(now);
});

test("ids strictly ascend however the clock moves", () => {
  let last = uuidv7();
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 45 }), { minLength: 1 }), (clock) => {
      for (const now of clock) {
        const id = uuidv7(now);
        expect(id).toMatch(FORM);
        expect(id > last).toBe(true);
        last = id;
      }
    }),
  );
});

test("more ids than one millisecond has numbers for still ascend", () => {
  const ids = Array.from({ length: 10_000 }, () => uuidv7(1));
  expect(ids).toEqual([...new Set(ids)].sort());
});
