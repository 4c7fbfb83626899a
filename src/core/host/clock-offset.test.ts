import { expect, it } from "vitest";
import { HOUR } from "../duration.ts";
import { redated } from "./clock-offset.ts";

it.each([
  [
    "beat at 2026-11-17T19:12:43Z; expected every 15 min",
    "beat at 2026-11-17T13:12:43Z; expected every 15 min",
  ],
  ["from 2026-11-17T03:00:00.250Z on", "from 2026-11-16T21:00:00.250Z on"],
  ["no date, 2026-11-17 and 12:00", "no date, 2026-11-17 and 12:00"],
])("dates in a sentence of a host that is six hours ahead are ours: %s", (theirs, ours) => {
  expect(redated(theirs, -6 * HOUR)).toBe(ours);
  expect(redated(theirs, 0)).toBe(theirs);
});
