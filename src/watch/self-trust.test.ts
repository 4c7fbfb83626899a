import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../test/virtual-clock.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../core/duration.ts";
import { outageSince, SelfTrust, unwatchedSince, withSpan } from "./self-trust.ts";

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

describe("a clock that was set back", () => {
  const mark = { at: START, uptime: 50_000, bootId: "boot" };

  it.each([
    ["while we slept", (clock: VirtualClock) => clock.suspend(10 * MINUTE)],
    ["while we stood still", (clock: VirtualClock) => clock.freeze(10 * MINUTE)],
  ])("%s does not hide how long that was", (_, happens) => {
    const clock = new VirtualClock(START);
    const trust = new SelfTrust(clock);
    happens(clock);
    clock.step(-HOUR);
    const to = START - 50 * MINUTE;
    expect(trust.look(clock.monotonic() - 10 * MINUTE)).toEqual({
      from: to - 10 * MINUTE,
      to,
      cause: "step",
    });
  });

  it("while we watched leaves a moment alone", () => {
    const clock = new VirtualClock(START);
    const trust = new SelfTrust(clock);
    clock.freeze(SECOND);
    clock.step(-HOUR);
    const to = START + SECOND - HOUR;
    expect(trust.look(clock.monotonic())).toEqual({ from: to, to, cause: "step" });
  });

  it.each([
    ["by more than it lasted", 2 * HOUR, "step"],
    ["by less than it lasted", 20 * MINUTE, "outage"],
  ])("during an outage, %s, leaves all of it unwatched", (_, by, cause) => {
    const clock = new VirtualClock(START);
    clock.freeze(HOUR);
    clock.step(-by);
    const to = START + HOUR - by;
    expect(outageSince(mark, clock, "boot")).toEqual({ from: to - HOUR, to, cause });
  });

  it("while the host was down tells nothing of how long that was", () => {
    const clock = new VirtualClock(START - HOUR);
    expect(outageSince(mark, clock, "another")).toEqual({
      from: START - HOUR - DAY,
      to: START - HOUR,
      cause: "step",
    });
  });

  it("while nothing could be stored does not shorten that", () => {
    const clock = new VirtualClock(START);
    const since = { at: clock.wall(), uptime: clock.uptime() };
    clock.freeze(5 * MINUTE);
    clock.step(-HOUR);
    const to = START - 55 * MINUTE;
    expect(unwatchedSince(since, clock, "store")).toEqual({ from: to - 5 * MINUTE, to, cause: "store" });
  });

  it("comes to no span again that is over", () => {
    const span = (from: number, to: number, cause: "outage" | "lag" = "outage") => ({ from, to, cause });
    const known = [span(1, 3), span(5, 8), span(20, 30)];
    expect(withSpan(known, span(6, 10))).toEqual([span(1, 3), span(5, 6), span(6, 10)]);
    expect(withSpan(known, span(6, 10, "lag"))).toEqual([span(1, 3), span(5, 8), span(6, 10, "lag")]);
  });
});

it("a clock that was set forward leaves all that it skipped unwatched", () => {
  const clock = new VirtualClock(START);
  clock.freeze(MINUTE);
  clock.step(HOUR);
  const span = outageSince({ at: START, uptime: 50_000, bootId: "boot" }, clock, "boot");
  expect(span).toEqual({ from: START, to: START + MINUTE + HOUR, cause: "outage" });
});

describe("a take-over from a watcher on another machine", () => {
  const now = START + 7 * SECOND;
  const takenOver = (at: number, seen = 300, written = 7 * SECOND) =>
    outageSince(
      { at, uptime: 1, bootId: "another", takenOver: { written, seen } },
      new VirtualClock(now),
      "boot",
    );

  it("is a lag as long as nobody was heard of, whatever the boots and clocks of the two say", () => {
    expect(takenOver(START)).toEqual({ from: now - 300, to: now, cause: "lag" });
    expect(takenOver(START + 30 * SECOND)).toEqual({ from: now - 300, to: now, cause: "lag" });
  });

  it("with a clock that is ahead moves deadlines by as much", () => {
    expect(takenOver(START - 30 * SECOND)).toEqual({ from: now - 30_300, to: now, cause: "lag" });
  });

  it("is a step of the clock if the two are more than a minute apart, and never a day long", () => {
    expect(takenOver(START + 90 * SECOND)).toEqual({ from: now - 300, to: now, cause: "step" });
    expect(takenOver(START - 90 * SECOND)).toEqual({ from: now - 90_300, to: now, cause: "step" });
  });

  it("is an outage if nobody was there for long", () => {
    const [seen, written] = [HOUR, HOUR + MINUTE];
    expect(takenOver(now - written, seen, written)).toEqual({ from: now - HOUR, to: now, cause: "outage" });
  });
});
