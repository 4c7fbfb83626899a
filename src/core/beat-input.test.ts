import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readBeat, sayProblem } from "./beat-input.ts";

const arrival = { receivedAt: 1000, newId: () => "new-id", strict: true };

function said(value: unknown): string {
  const read = readBeat(value, arrival);
  return "problem" in read ? sayProblem(read.problem) : "fine";
}

describe("a beat from outside", () => {
  it("needs only its agent", () => {
    expect(readBeat({ agent: "allegro" }, arrival)).toEqual({
      beat: { id: "new-id", agent: "allegro", source: "agent", status: "ok", sentAt: 1000, receivedAt: 1000 },
    });
  });

  it("keeps everything that it says, and null means nothing", () => {
    const id = "0190f3e0-0000-7000-8000-000000000001";
    const incarnation = { pid: 7, startTime: "123", bootId: "b" };
    const value = {
      ...{ id, agent: "a", source: "wrapper", status: "error", host: "h", incarnation, cycle: 0 },
      ...{
        cycleEvent: "ended",
        outcome: "killed",
        action: "x",
        message: null,
        sentAt: "1970-01-01T00:00:02Z",
      },
    };
    const { message: _none, ...rest } = value;
    expect(readBeat(value, { ...arrival, spooled: true })).toEqual({
      beat: { ...rest, sentAt: 2000, receivedAt: 1000, spooled: true },
    });
  });

  it.each([
    [{ agent: "a", cycle: -1 }, "cycle: expected a whole number from 0 up, not -1"],
    [{ agent: "a", cycle: "7" }, 'cycle: expected a whole number from 0 up, not "7"'],
    [{ agent: "a", cycle: 2 ** 60 }, "cycle: expected a whole number from 0 up"],
    [{ agent: "a", status: "OK" }, 'status: expected "ok" or "error", not "OK"'],
    [{ agent: "a", id: "7" }, 'id: expected a UUID in lower case, not "7"'],
    [{ agent: "a", message: 7 }, "message: expected text, not 7"],
    [{ agent: "a", sentAt: "2026-13-45T00:00:00Z" }, "sentAt: expected an ISO 8601 time"],
    [{ agent: "a", incarnation: { pid: 0 } }, "incarnation.pid: expected an object such as"],
    [{ agent: "a", incarnation: 4 }, "incarnation: expected an object such as"],
    [{ agent: "a", acton: "x" }, 'acton: unknown key; did you mean "action"?'],
    [{ agent: "a", zzzzz: "x" }, "zzzzz: expected one of id, agent"],
    [[], "expected an object with at least an agent, not []"],
    [null, "expected an object with at least an agent, not null"],
  ])("%j is refused", (value, sentence) => {
    expect(said(value)).toContain(sentence);
  });

  it("in the spool may carry keys that a newer version wrote", () => {
    expect(readBeat({ agent: "a", mood: "good" }, { ...arrival, strict: false })).toMatchObject({
      beat: { agent: "a" },
    });
  });

  it("never throws, whatever it is, and long or broken text is made fit", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        readBeat(value, arrival);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 12_000 }), (message) => {
        const read = readBeat({ agent: "a", message }, arrival);
        const kept = "beat" in read ? (read.beat.message ?? "") : "refused";
        expect(kept.length).toBeLessThanOrEqual(10_000);
        expect(kept.isWellFormed()).toBe(true);
      }),
    );
  });
});
