import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { defaultConfig } from "../config/load.ts";
import { ownId } from "../features/own-beat/own-id.ts";
import { homeAt } from "../home/home.ts";
import { rollOffline } from "../service/offline-roll.ts";
import { DatabaseThread } from "../store/sqlite/thread.ts";
import { up } from "./lifecycle.ts";

test("a start that cannot listen leaves no beat of a watcher", async () => {
  const home = mkdtempSync(join(tmpdir(), "rollcall-start-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  await expect(up({ home, listen: `127.0.0.1:${port}` })).rejects.toThrow("already listens there");
  const [own] = await rollOffline(homeAt(home), defaultConfig(), ownId());
  expect(own?.state).toBe("new");
});

test("a start loads the store once, also after a daemon that did not end cleanly", async () => {
  const home = mkdtempSync(join(tmpdir(), "rollcall-start-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const before = { startTime: "1", bootId: "before", startedAt: "2026-06-01T12:00:00.000Z", version: "0" };
  writeFileSync(join(home, "rollcall.pid"), `1\n${JSON.stringify(before)}\n`, { mode: 0o600 });
  const ask = vi.spyOn(DatabaseThread.prototype, "ask");
  const watcher = await up({ home, listen: "127.0.0.1:0" });
  try {
    expect(watcher.crashes.last()).toMatchObject({ incarnation: { pid: 1 } });
    expect(ask.mock.calls.filter(([call]) => call === "load")).toHaveLength(1);
  } finally {
    await watcher.stop();
  }
});
