import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { FiledIssue } from "../../core/rca/filed-issue.ts";
import { memoryStore } from "../../store/memory/memory.ts";
import { tickGrid } from "./grid.ts";

const NOW = Date.parse("2026-04-10T12:00:00Z");
const vitals = { gateway_running: true, home_directory_accessible: true, config_valid: true };
const HEALTHY = { status: "healthy", vitals, capabilities: {}, submitted_at: "2026-04-01T06:00:00Z" };

function fleet(ticks: Record<string, unknown>) {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-grid-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const places = { registry: join(folder, "registry.json"), ticks: join(folder, "ticks") };
  mkdirSync(places.ticks);
  const agents = [
    { id: "allegro", name: "Allegro", active: true },
    { id: "timmy", active: true },
    "nonsense",
  ];
  writeFileSync(places.registry, JSON.stringify({ agents }));
  for (const [path, tick] of Object.entries(ticks)) {
    mkdirSync(join(places.ticks, path, ".."), { recursive: true });
    writeFileSync(join(places.ticks, `${path}.json`), typeof tick === "string" ? tick : JSON.stringify(tick));
  }
  return places;
}

const issue: FiledIssue = {
  ...{
    key: "timmy:2026-03:MISSING_TICK",
    marker: "m",
    number: 7,
    url: "https://git.example/7",
    createdAt: 1,
  },
  ...{ agent: "timmy", month: "2026-03", nextAt: null, followed: [], recovered: false, closed: true },
};

it("gives the ticks of everybody by month, newest first, with their issues", async () => {
  const places = fleet({
    "2026-02/allegro": { ...HEALTHY, submitted_at: "2026-02-01T06:00:00Z" },
    "2026-03/allegro": "{",
    "2026-04/allegro": HEALTHY,
    "2026-04/timmy": { status: "offline" },
    "2026-05/timmy": HEALTHY,
    "not-a-month/timmy": HEALTHY,
  });
  const store = memoryStore();
  await store.commit({ issues: [issue] });
  expect(await tickGrid(places, store, NOW)).toEqual({
    months: ["2026-04", "2026-03", "2026-02"],
    agents: [
      {
        id: "allegro",
        name: "Allegro",
        ticks: {
          "2026-02": { status: "healthy", submittedAt: "2026-02-01T06:00:00.000Z", issue: null },
          "2026-03": { status: "invalid", submittedAt: null, issue: null },
          "2026-04": { status: "healthy", submittedAt: "2026-04-01T06:00:00.000Z", issue: null },
        },
      },
      {
        id: "timmy",
        name: "timmy",
        ticks: {
          "2026-03": { status: "missing", submittedAt: null, issue: "https://git.example/7" },
          "2026-04": { status: "offline", submittedAt: null, issue: null },
        },
      },
    ],
  });
});

it("says of the newest month who is missing, but not before its window has closed", async () => {
  const places = fleet({ "2026-04/allegro": HEALTHY });
  const timmy = async (now: string) =>
    (await tickGrid(places, memoryStore(), Date.parse(now))).agents[1]?.ticks;
  expect(await timmy("2026-04-04T00:00:00Z")).toMatchObject({ "2026-04": { status: "missing" } });
  expect(await timmy("2026-04-03T23:59:59Z")).toEqual({});
});

it("gives two years at most", async () => {
  const months = Array.from(
    { length: 30 },
    (_, i) => `${2023 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, "0")}`,
  );
  const places = fleet(
    Object.fromEntries(months.map((month) => [`${month}/allegro`, { ...HEALTHY, month }])),
  );
  const grid = await tickGrid(places, memoryStore(), NOW);
  expect(grid.months).toEqual(months.slice(-24).reverse());
  expect(Object.keys(grid.agents[0]?.ticks ?? {})).toHaveLength(24);
});

it("is empty where there is nothing to read", async () => {
  const nothing = { months: [], agents: [] };
  expect(await tickGrid(undefined, memoryStore(), NOW)).toEqual(nothing);
  expect(await tickGrid({ registry: "/nowhere/r", ticks: "/nowhere/t" }, memoryStore(), NOW)).toEqual(
    nothing,
  );
});
