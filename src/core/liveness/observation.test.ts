import { describe, expect, it } from "vitest";
import type { Beat } from "../beat.ts";
import { observationsOf } from "./observation.ts";

const beat: Beat = { id: "1", agent: "a", source: "agent", status: "ok", sentAt: 100, receivedAt: 200 };

describe("the facts that a beat brings", () => {
  it("are that it was heard, when it counts", () => {
    const heard = { kind: "beat", signal: "beat", source: "agent", status: "ok" };
    expect(observationsOf(beat)).toEqual([{ ...heard, at: 200, firstAt: 200 }]);
    expect(observationsOf({ ...beat, spooled: true })).toEqual([{ ...heard, at: 100, firstAt: 100 }]);
  });

  it("are who sent it and from where, as far as it says so", () => {
    const told = { host: "ann", incarnation: { pid: 1, startTime: "2", bootId: "b" }, message: "hi" };
    expect(observationsOf({ ...beat, ...told, source: "wrapper" })).toMatchObject([
      { ...told, source: "wrapper" },
    ]);
  });

  it("are marked, all of them, if the beat is unproven", () => {
    const unproven = { ...beat, unproven: true } as const;
    expect(observationsOf(unproven)).toMatchObject([{ kind: "beat", unproven: true }]);
    const crashed = { cycle: 7, cycleEvent: "ended", outcome: "crashed" } as const;
    for (const cycle of [crashed, { cycle: 7, cycleEvent: "begun" } as const]) {
      expect(observationsOf({ ...unproven, ...cycle })).toMatchObject([
        { unproven: true },
        { unproven: true },
      ]);
    }
  });

  it("are until when a limit lasts, unless that was over when it was told", () => {
    const limited = { ...beat, state: "limited" } as const;
    expect(observationsOf({ ...limited, until: 300 })[1]).toMatchObject({ resetAt: 300 });
    expect(observationsOf({ ...limited, until: 150 })[1]).not.toHaveProperty("resetAt");
  });

  it.each([
    ["begun", "ok", true],
    ["ended", "ok", true],
    ["ended", "error", false],
  ] as const)("are where its cycle stands: %s with status %s", (cycleEvent, status, ok) => {
    expect(observationsOf({ ...beat, cycle: 7, cycleEvent, status })).toMatchObject([
      { kind: "beat", status },
      { kind: "cycle", event: cycleEvent, ok, cycle: 7, at: 200 },
    ]);
  });
});
