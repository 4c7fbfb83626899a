import { expect, it } from "vitest";
import { VirtualClock } from "../../test/virtual-clock.ts";
import { MINUTE, SECOND } from "../core/duration.ts";
import { SelfWatch } from "./self-watch.ts";

const START = Date.parse("2026-03-02T08:00:00Z");

function sighted() {
  const clock = new VirtualClock(START);
  const told: (string | undefined)[] = [];
  let missed = 0;
  const sight = new SelfWatch(clock, { info: () => {}, warn: () => {}, error: () => {} }, () => {
    missed += 1;
  });
  sight.onBlind((problem) => told.push(problem));
  return { clock, sight, told, missed: () => missed };
}

it("a store that refuses makes us blind from the moment of the decision; the commit that succeeds says so itself", async () => {
  const { clock, sight, told, missed } = sighted();
  const moment = sight.now();
  clock.freeze(SECOND);
  sight.couldNotStore(new Error("disk full"), moment);
  sight.couldNotStore(new Error("disk full"), sight.now());
  expect(sight.blindSince).toEqual(moment);
  clock.freeze(5 * MINUTE);
  const spans = sight.toSave();
  expect(spans).toEqual([{ from: START, to: START + 5 * MINUTE + SECOND, cause: "store" }]);
  sight.saved(spans);
  sight.stored(sight.now(), sight.commitBegins());
  expect(sight.blindSince).toBeUndefined();
  expect(told).toEqual(["disk full", undefined]);
  expect(sight.trust.blind).toEqual(spans);
  expect(missed()).toBe(1);
});

it("a commit that hangs is told after a while, but not if it was we who stood still", () => {
  const { clock, sight, told } = sighted();
  sight.commitBegins();
  clock.freeze(20 * SECOND);
  expect(sight.isHanging(true)).toBe(false);
  clock.freeze(14 * SECOND);
  expect(sight.isHanging(false)).toBe(false);
  clock.freeze(2 * SECOND);
  expect(sight.isHanging(false)).toBe(true);
  expect(told).toEqual(["the store does not answer"]);
  expect(sight.isHanging(false), "once").toBe(false);
});

it("a commit that took long was not watched, and that is saved by the next one", () => {
  const { clock, sight } = sighted();
  const moment = sight.now();
  const began = sight.commitBegins();
  clock.freeze(3 * SECOND);
  sight.commitEnds();
  sight.stored(moment, began);
  expect(sight.unsaved).toEqual([{ from: START, to: START + 3 * SECOND, cause: "store" }]);
  sight.saved(sight.toSave());
  expect(sight.unsaved).toEqual([]);
});
