import { expect, it } from "vitest";
import { VirtualClock } from "../../test/virtual-clock.ts";
import { MINUTE, SECOND } from "../core/duration.ts";
import { SelfTrust } from "./self-trust.ts";

const START = Date.parse("2026-03-02T08:00:00Z");

/** A look at so many seconds that was planned for `planned` seconds after the last. */
function look(planned: number, after: number) {
  const clock = new VirtualClock(START);
  const trust = new SelfTrust(clock);
  const due = clock.monotonic() + planned * SECOND;
  clock.freeze(after * SECOND);
  return trust.look(due);
}

it.each([
  ["one in time says nothing", 60, 61, undefined],
  ["one before its time says nothing", 60, 3, undefined],
  ["one that is late by seconds lost those", 10, 30, { from: START + 10 * SECOND, cause: "lag" }],
  ["one that is late by minutes lost all since the last look", 10, 600, { from: START, cause: "outage" }],
])("%s", (_, planned, after, span) => {
  const found = look(planned, after);
  if (span === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject({ ...span, to: START + after * SECOND });
});

it("a lag is told once, although the look that was due comes after another", () => {
  const clock = new VirtualClock(START);
  const trust = new SelfTrust(clock);
  const due = clock.monotonic() + SECOND;
  clock.freeze(MINUTE / 2);
  expect(trust.look(due)).toMatchObject({ cause: "lag" });
  expect(trust.look(due)).toBeUndefined();
});
