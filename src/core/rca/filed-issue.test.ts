import { expect, it } from "vitest";
import { keyInMarker, tickInMarker } from "./filed-issue.ts";
import { markerOf } from "./issue.ts";

it.each([
  ["allegro:2026-04:MISSING_TICK", { agent: "allegro", month: "2026-04" }],
  ["a@b-c_d:1999-12:OFFLINE", { agent: "a@b-c_d", month: "1999-12" }],
  ["allegro-mm8ws3v4", undefined],
  ["allegro:2026-13:OFFLINE", undefined],
  ["group-a:2026-04:x-mm8ws3v4", undefined],
])("the marker of %s says whose tick it is, if it is one: %j", (key, tick) => {
  expect(tickInMarker(markerOf(key))).toEqual(tick);
  expect(keyInMarker(markerOf(key))).toBe(key);
});
