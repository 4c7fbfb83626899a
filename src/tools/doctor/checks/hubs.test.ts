import { expect, it } from "vitest";
import { hubsFindings } from "./hubs.ts";

const lease = { owner: "a", epoch: 3, commit: 9, expiresIn: 8000, seen: 100 };
const inbox = { waiting: 3, oldest: 90 };
const hub = (id: string, more: object = {}) => ({
  ...{ id, role: "standby" as const, url: "", version: "0.1.0", startedAt: "", seen: 200, clockAhead: 3 },
  ...more,
});
const levels = (...view: Parameters<typeof hubsFindings>) =>
  hubsFindings(...view).map(({ level, says }) => `${level}: ${says}`);
const command = (words: string) => words;

it("says nothing of hubs that are as they should be", () => {
  expect(levels({ lease, inbox, hubs: [hub("a", { role: "owner" }), hub("b")] }, command)).toEqual([]);
});

it("finds a lease that nobody holds, a hub that is gone, clocks that are wrong and versions that differ", () => {
  const hubs = [
    hub("a", { role: "gone", seen: 60_000 }),
    hub("b", { clockAhead: -7000, version: "0.2.0" }),
    hub("c"),
  ];
  expect(levels({ lease: { ...lease, expiresIn: -60_000, seen: 70_000 }, inbox, hubs }, command)).toEqual([
    expect.stringMatching(/^error: no hub owns the store.*"a" was last heard of/),
    expect.stringMatching(/^warning: hub a was last heard of/),
    expect.stringMatching(/^warning: the clock of hub b is 7 s behind/),
    "note: the hubs run different versions: 0.1.0, 0.2.0",
  ]);
});

it("finds an owner that does not keep up with what the others take", () => {
  expect(levels({ lease, inbox: { waiting: 900, oldest: 40_000 }, hubs: [hub("a")] }, command)).toEqual([
    expect.stringMatching(/^warning: the owner has not processed what other hubs received 40 s ago/),
  ]);
});
