import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "./database.ts";
import { DatabaseThread } from "./thread.ts";

const ENTRY = new URL("../../../dist/sqlite-worker.js", import.meta.url);
const PAGE = { agent: "allegro", before: Number.POSITIVE_INFINITY, limit: 10_000 };
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-thread-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the thread of the database", () => {
  it("carries an error across with its code, and goes on after a full disk", async () => {
    const thread = await DatabaseThread.open(ENTRY, { file: join(folder, "rollcall.db"), maxPages: 40 });
    const beats = (count: number, from: number) =>
      Array.from({ length: count }, (_, n) => [`b${from + n}`, "allegro", n, "x".repeat(500)]).flat();
    await thread.ask("commit", { beats: beats(3, 0) });
    await expect(
      thread.ask("commit", { beats: beats(1000, 100), mark: [1, 1, "boot"] }),
    ).rejects.toMatchObject({ name: "StoreError", code: "full" });
    expect(await thread.ask("beats", PAGE)).toHaveLength(3);
    expect((await thread.ask("load", null)).mark).toBeNull();
    await thread.ask("commit", { beats: beats(3, 50) });
    expect(await thread.ask("beats", PAGE)).toHaveLength(6);
    await thread.close();
  });

  it("loads a large fleet in slices, and loses none of it", async () => {
    const file = join(folder, "rollcall.db");
    const thread = await DatabaseThread.open(ENTRY, { file });
    const ids = Array.from({ length: 7654 }, (_, n) => `agent-${n}`);
    const beats = ids.flatMap((id, n) => [`b${n}`, id, n, "{}"]);
    await thread.ask("commit", { agents: ids.flatMap((id) => [id, `{"id":"${id}"}`]), beats });
    const [loaded, again] = await Promise.all([thread.ask("load", null), thread.ask("load", null)]);
    expect(loaded.agents).toHaveLength(ids.length);
    expect(loaded.unflushed).toHaveLength(ids.length);
    expect(again).toEqual(loaded);
    await thread.close();
    const here = openDatabase({ file });
    expect(here.load(null)).toEqual(loaded);
    here.close(null);
  });

  it("says when it cannot open the file, and is gone", async () => {
    const file = join(folder, "no", "such", "folder.db");
    await expect(DatabaseThread.open(ENTRY, { file })).rejects.toThrow(file);
  });

  it("says when its entry cannot be started", async () => {
    const opening = DatabaseThread.open(new URL("./no-such-entry.js", ENTRY), { file: "x.db" });
    await expect(opening).rejects.toMatchObject({ name: "StoreError", code: "failed" });
  });
});
