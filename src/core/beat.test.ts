import { describe, expect, it } from "vitest";
import { type Beat, beatAt, type Incarnation, sameIncarnation } from "./beat.ts";

const beat: Beat = { id: "1", agent: "a", source: "agent", status: "ok", sentAt: 100, receivedAt: 200 };

describe("beatAt", () => {
  it.each<[Partial<Beat>, number, string]>([
    [{}, 200, "a beat counts from its arrival"],
    [{ sentAt: 900 }, 200, "whatever the sender's clock says"],
    [{ spooled: true }, 100, "a spooled beat counts from when it was sent"],
    [{ spooled: true, sentAt: 900 }, 200, "but not from later than its arrival"],
    [{ spooled: false }, 200, "one that did not wait is not spooled"],
  ])("of %j is %d: %s", (more, at) => {
    expect(beatAt({ ...beat, ...more })).toBe(at);
  });
});

describe("sameIncarnation", () => {
  const life = { pid: 7, startTime: "70", bootId: "b" };

  it.each<[Incarnation | undefined, Incarnation | undefined, boolean, string]>([
    [life, { ...life }, true, "everything is equal"],
    [life, { ...life, pid: 8 }, false, "another pid"],
    [life, { ...life, startTime: "71" }, false, "the pid was used again"],
    [life, { ...life, bootId: "c" }, false, "the machine was started again"],
    [life, undefined, false, "one is not known"],
    [undefined, undefined, false, "none is known"],
  ])("%j and %j: %s, because %s", (a, b, same) => {
    expect(sameIncarnation(a, b)).toBe(same);
  });
});
