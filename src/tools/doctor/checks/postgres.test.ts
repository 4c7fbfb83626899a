import { expect, test } from "vitest";
import { postgresFindings } from "./postgres.ts";

const WELL = {
  ...{ version: "18.4", isStandby: false, fsync: true, synchronousCommit: "on", autovacuum: true },
  ...{ standbys: 0, waitsFor: "", isPooled: false, clockAhead: 0, bloated: [] },
};

test("a server that is set up well gives no finding", () => {
  expect(postgresFindings(WELL)).toEqual([]);
  expect(postgresFindings({ ...WELL, standbys: 1, waitsFor: "*", clockAhead: 900 })).toEqual([]);
});

test.each([
  [{ isStandby: true }, "error", "standby, which cannot be written"],
  [{ fsync: false }, "error", "fsync is off"],
  [{ synchronousCommit: "off" }, "error", "synchronous_commit is off"],
  [{ standbys: 2 }, "warning", "2 standbys, and commits do not wait for any"],
  [{ standbys: 1, waitsFor: "*", synchronousCommit: "local" }, "warning", "1 standby, and commits"],
  [{ isPooled: true }, "error", "by transaction"],
  [{ clockAhead: 61_000 }, "warning", "1 min 1 s ahead of ours"],
  [{ clockAhead: -61_000 }, "warning", "1 min 1 s behind ours"],
  [{ autovacuum: false }, "warning", "autovacuum is off"],
  [{ bloated: [{ table: "roll", dead: 200_000, live: 5 }] }, "warning", "roll holds 200000 dead rows and 5"],
])("%j is one finding", (more, level, says) => {
  const [found, ...others] = postgresFindings({ ...WELL, ...more });
  expect(others).toEqual([]);
  expect(found).toMatchObject({ level, says: expect.stringContaining(says) });
});
