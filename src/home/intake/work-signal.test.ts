import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { failWork, finishWork, startWork, updateWork } from "../../agent/work.ts";
import { workSignals, workWithoutSignals } from "./work-signal.ts";

function world() {
  const home = mkdtempSync(join(tmpdir(), "rollcall-work-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const open = workSignals(home);
  const [allegro, largo] = [open("allegro"), open("largo")];
  const look = (now: number, fresh = false) =>
    allegro.look({ now, fresh, abort: new AbortController().signal });
  return { home, allegro, largo, look };
}

it("tells of work when it is recorded, when it goes on, and when it is done, and nothing in between", async () => {
  const { home, allegro, look } = world();
  expect(await look(1, true)).toEqual([]);
  expect(allegro.glance?.(2)).toBe(true);
  const { id } = startWork("allegro", "review 7", home);
  expect(allegro.glance?.(3)).toBe(false);
  expect(await look(3)).toMatchObject([
    { kind: "work", open: true },
    { kind: "activity", seenAt: 3 },
  ]);
  expect(allegro.glance?.(4)).toBe(true);
  expect(await look(4)).toEqual([]);
  expect(await look(5, true)).toMatchObject([{ open: true }, { seenAt: 5 }]);
  const { updatedAt } = updateWork(id, "half of it", home);
  expect(await look(6)).toMatchObject([{ open: true, updatedAt: Date.parse(updatedAt) }, { seenAt: 6 }]);
  finishWork(id, home);
  expect(await look(7)).toEqual([{ kind: "work", signal: "work", at: 7, seenAt: 7, open: false }]);
  expect(await look(8)).toEqual([]);
});

it("does not tell one agent of another's work, and all share the list of a round", () => {
  const { home, allegro, largo } = world();
  expect(allegro.glance?.(1)).toBe(true);
  startWork("largo", "review 7", home);
  expect(largo.glance?.(1)).toBe(true);
  expect(largo.glance?.(2)).toBe(false);
  expect(allegro.glance?.(2)).toBe(true);
});

it("tells which check failed and what it wrote last, without secrets, until the work goes on", async () => {
  const { home, look } = world();
  const { id } = startWork("allegro", "fix the login", home, ["npm test"]);
  const output =
    "ran 3 tests\n\u001b[31mFAIL\u001b[0m login\n\nexport TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345\n";
  failWork(id, { at: "2026-11-17T12:00:00.000Z", check: "npm test", problem: "ended with 1", output }, home);
  const [mark] = await look(1);
  expect(mark).toMatchObject({ open: true, notProven: { at: Date.UTC(2026, 10, 17, 12) } });
  const { says } = (mark as { notProven: { says: string } }).notProven;
  expect(says).toContain(
    '"fix the login" was reported as done, but its check ended with 1: npm test; it wrote last: ran 3 tests / FAIL login / ',
  );
  expect(says).not.toContain("ghp_");
  updateWork(id, undefined, home);
  expect((await look(2))[0]).not.toHaveProperty("notProven");
});

it("tells of agents without signals only that a check failed, and once that this is over, also after a restart", () => {
  const { home } = world();
  const failed = { at: "2026-11-17T12:00:00.000Z", check: "npm test", problem: "ended with 1", output: "" };
  const { id } = startWork("allegro", "fix the login", home, ["npm test"]);
  const first = workWithoutSignals(home, []);
  expect(first(1)).toMatchObject([{ agent: "allegro", facts: [{ open: true }, { kind: "activity" }] }]);
  expect(first(1)).toEqual([]);
  failWork(id, failed, home);
  expect(first(2)).toMatchObject([
    { agent: "allegro", facts: [{ open: true, notProven: { at: Date.parse(failed.at) } }, {}] },
  ]);
  expect(first(3)).toEqual([]);
  const second = workWithoutSignals(home, ["allegro", "largo"]);
  expect(second(4)).toMatchObject([
    { agent: "allegro", facts: [{ notProven: {} }, {}] },
    { agent: "largo", facts: [{ open: false }] },
  ]);
  expect(second(5)).toEqual([]);
  finishWork(id, home, true);
  expect(second(6)).toEqual([{ agent: "allegro", facts: [expect.objectContaining({ open: false })] }]);
  expect(second(7)).toEqual([]);
});
