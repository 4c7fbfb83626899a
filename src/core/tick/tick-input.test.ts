import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sayProblem } from "../beat-input.ts";
import { readTick } from "./tick-input.ts";

const awaited = { agent: "allegro", month: "2026-04" };
const vitals = { gateway_running: true, home_directory_accessible: true, config_valid: true };
const healthy = { status: "healthy", vitals, capabilities: { search: true } };

describe("a tick", () => {
  it.each([
    ["healthy as it stands", healthy, "healthy"],
    ["degraded", { ...healthy, status: "degraded", capabilities: { search: false } }, "degraded"],
    ["critical", { ...healthy, status: "critical", vitals: { ...vitals, config_valid: false } }, "critical"],
    ["offline with nothing measured", { status: "offline" }, "offline"],
    ["offline with measurements", { ...healthy, status: "offline" }, "offline"],
    [
      "healthy in word, but not by its vitals",
      { ...healthy, vitals: { ...vitals, gateway_running: false } },
      "critical",
    ],
    ["healthy in word, but not by its capabilities", { ...healthy, capabilities: { x: false } }, "degraded"],
    ["critical in word, and no measurement that says so", { ...healthy, status: "critical" }, "critical"],
    ["with no capabilities", { ...healthy, capabilities: {} }, "healthy"],
    [
      "with fields that we do not know",
      { ...healthy, mood: ["good"], vitals: { ...vitals, pulse: 60 } },
      "healthy",
    ],
    [
      "of the month that it names, though submitted later",
      { ...healthy, month: "2026-04", submitted_at: "2026-05-02T00:00:00Z" },
      "healthy",
    ],
    [
      "submitted in the last second of the month",
      { ...healthy, submitted_at: "2026-04-30T23:59:59Z" },
      "healthy",
    ],
    [
      "submitted on 1 May on Kiritimati",
      { ...healthy, submitted_at: "2026-05-01T13:59:59+14:00" },
      "healthy",
    ],
  ])("%s", (_, value, status) => {
    expect(readTick(value, awaited)).toMatchObject({ tick: { status, month: "2026-04" } });
  });

  it.each([
    ["not an object", [], "expected an object with status, vitals and capabilities, not []"],
    ["nothing at all", null, "expected an object with status, vitals and capabilities, not null"],
    [
      "no status",
      { vitals, capabilities: {} },
      'status: expected "healthy", "degraded", "critical", "offline", not nothing',
    ],
    [
      "another spelling",
      { ...healthy, status: "CRITICAL" },
      'status: expected "healthy", "degraded", "critical", "offline", not "CRITICAL"',
    ],
    ["no vitals", { ...healthy, vitals: undefined }, "vitals: expected an object with gateway_running"],
    ["vitals in a list", { ...healthy, vitals: [true] }, "vitals: expected an object"],
    [
      "a vital that lacks",
      { ...healthy, vitals: { ...vitals, config_valid: undefined } },
      "vitals.config_valid: expected true or false, not nothing",
    ],
    [
      "a vital in words",
      { ...healthy, vitals: { ...vitals, gateway_running: "yes" } },
      'vitals.gateway_running: expected true or false, not "yes"',
    ],
    ["no capabilities", { ...healthy, capabilities: undefined }, "capabilities: expected an object of names"],
    [
      "a capability as a number",
      { ...healthy, capabilities: { mail: 1 } },
      "capabilities.mail: expected true or false, not 1",
    ],
    [
      "another month",
      { ...healthy, month: "2026-03" },
      'month: expected "2026-04", as its folder is called, not "2026-03"',
    ],
    [
      "a month that is none",
      { ...healthy, month: "April" },
      'month: expected a month such as 2026-04, not "April"',
    ],
    [
      "a time in another month",
      { ...healthy, submitted_at: "2026-03-31T23:59:59Z" },
      "submitted_at: expected a time in 2026-04 (UTC)",
    ],
    [
      "1 April on Kiritimati, still March in UTC",
      { ...healthy, submitted_at: "2026-04-01T13:59:59+14:00" },
      "submitted_at: expected a time in 2026-04",
    ],
    ["a time that is none", { ...healthy, submitted_at: "today" }, "submitted_at: expected an ISO 8601 time"],
    [
      "a date that does not exist",
      { ...healthy, submitted_at: "2026-13-01T00:00:00Z" },
      "submitted_at: expected an ISO 8601 time",
    ],
    [
      "somebody else's",
      { ...healthy, agent: "adagio" },
      'agent: expected "allegro", as the file is called, not "adagio"',
    ],
  ])("is refused: %s", (_, value, sentence) => {
    const read = readTick(value, awaited);
    expect("problem" in read ? sayProblem(read.problem) : read).toContain(sentence);
  });

  it("never throws, whatever it is", () => {
    const near = fc.record(
      {
        status: fc.anything(),
        vitals: fc.anything(),
        capabilities: fc.anything(),
        month: fc.anything(),
        submitted_at: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), near), (value) => {
        readTick(value, awaited);
      }),
    );
  });
});
