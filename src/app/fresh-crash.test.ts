import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeFolder } from "../../test/remove-folder.ts";
import { iso, MINUTE } from "../core/duration.ts";
import { Crashes, crashNow } from "../home/crashes.ts";
import { homeAt } from "../home/home.ts";
import { using, Writer } from "../home/store.ts";
import { freshCrash } from "./fresh-crash.ts";

const START = Date.parse("2026-03-02T08:00:00Z");
/** No process has this start time. */
const GONE = { pid: 1, startTime: "none", bootId: "another boot" };

/** A home whose watcher was killed. */
function homeAfterCrash() {
  const path = mkdtempSync(join(tmpdir(), "rollcall-crash-"));
  onTestFinished(() => removeFolder(path));
  const { pid, ...life } = GONE;
  const rest = { ...life, startedAt: iso(START), version: "1" };
  writeFileSync(join(path, "rollcall.pid"), `${pid}\n${JSON.stringify(rest)}\n`);
  return homeAt(path);
}

test("a crash that is not on record is dated by the last sign of life in the store", async () => {
  const home = homeAfterCrash();
  const writer = Writer.take(home);
  const mark = { at: START + 7 * MINUTE, uptime: 1, bootId: "b" };
  await using(await (writer as Writer).openStore(home, { here: true }), (store) => store.commit({ mark }));
  writer?.release();
  expect(await freshCrash({ home: home.path })).toMatchObject({ at: iso(mark.at), incarnation: GONE });
});

test("a crash before anything was stored is dated by the start of the watcher", async () => {
  expect(await freshCrash({ home: homeAfterCrash().path })).toMatchObject({ at: iso(START) });
});

test("a crash that is on record is not fresh", async () => {
  const home = homeAfterCrash();
  new Crashes(home.path).record(crashNow(GONE, START));
  expect(await freshCrash({ home: home.path })).toBeUndefined();
});
