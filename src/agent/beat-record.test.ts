import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BeatInput, beatRecord } from "./beat-record.ts";

const stamp = { id: "i", host: "h", sentAt: "2026-01-31T08:00:00.000Z" };
const record = (input: Omit<BeatInput, "agent">) => beatRecord({ agent: "allegro", ...input }, stamp);

test("a beat that says nothing more is ok and the agent's own", () => {
  expect(JSON.stringify(record({}))).toBe(
    '{"id":"i","agent":"allegro","host":"h","source":"agent","status":"ok","sentAt":"2026-01-31T08:00:00.000Z"}',
  );
});

test("every key has its place", () => {
  const incarnation = { pid: 1, startTime: "2", bootId: "3" };
  const all = {
    incarnation,
    cycle: 7,
    cycleEvent: "ended",
    action: "a",
    status: "error",
    message: "m",
  } as const;
  expect(Object.keys(record({ ...all, source: "wrapper" })).join(" ")).toBe(
    "id agent host incarnation source cycle cycleEvent action status message sentAt",
  );
});

describe("refused", () => {
  test.each(["", "a/b", "a.b", "..", "-a", "_a", "a b", "a\n", "é", "a".repeat(129)])(
    "the id %j",
    (agent) => {
      expect(() => beatRecord({ agent }, stamp)).toThrow(
        expect.objectContaining({ name: "AgentError", code: "bad-agent-id" }),
      );
    },
  );

  test.each([-1, 1.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY])("the cycle %d", (cycle) => {
    expect(() => record({ cycle })).toThrow(expect.objectContaining({ code: "bad-cycle" }));
  });

  test("an unknown status, with the value and what would be right", () => {
    const input = JSON.parse('{"status":"fine"}');
    expect(() => record(input)).toThrow('status: expected "ok" or "error", not "fine"');
  });

  test("what is not text, and an unknown source", () => {
    expect(() => record(JSON.parse('{"action":5}'))).toThrow("action: expected text, not 5");
    expect(() => record(JSON.parse('{"source":"me"}'))).toThrow(
      'source: expected "agent" or "wrapper", not "me"',
    );
  });
});

describe("text", () => {
  test.each([
    ["as long as allowed is kept", "a".repeat(1000), "a".repeat(1000)],
    ["that is longer is cut and marked", "a".repeat(1001), `${"a".repeat(999)}…`],
    ["is never cut within a character", `${"a".repeat(998)}😀bc`, `${"a".repeat(998)}…`],
    ["keeps a whole character at the end", `${"a".repeat(997)}😀bc`, `${"a".repeat(997)}😀…`],
    ["that UTF-8 cannot carry is replaced", "a\ud800b\udc00\0", "a\ufffdb\ufffd\ufffd"],
    ["keeps whole pairs", "😀", "😀"],
    ["that is empty is left out", "", undefined],
  ])("%s", (_, action, kept) => {
    expect(record({ action }).action).toBe(kept);
  });

  test("of any kind fits and survives its way through a file", () => {
    const units = fc.array(fc.nat({ max: 0xffff }), { minLength: 1, maxLength: 1100 });
    fc.assert(
      fc.property(units, (codes) => {
        const action = record({ action: String.fromCharCode(...codes) }).action ?? "";
        expect(action.length).toBeLessThanOrEqual(1000);
        expect(Buffer.from(action, "utf8").toString("utf8") === action).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test("in a message may be ten times longer", () => {
    expect(record({ message: "a".repeat(10_001) }).message).toBe(`${"a".repeat(9999)}…`);
  });
});
