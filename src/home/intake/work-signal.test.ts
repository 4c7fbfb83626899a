import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { finishWork, startWork, updateWork } from "../../agent/work.ts";
import { workSignals } from "./work-signal.ts";

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
  expect(await look(7)).toEqual([{ kind: "work", signal: "work", at: 7, open: false }]);
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
