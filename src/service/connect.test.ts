import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { homeAt } from "../home/home.ts";
import { using, Writer, withStore } from "../home/store.ts";
import { operationsOf } from "./connect.ts";

it("a command without a watcher leaves the last watcher's sign of life alone: nobody watched, nothing was rebooted", async () => {
  const home = homeAt(mkdtempSync(join(tmpdir(), "rollcall-fleet-")));
  onTestFinished(() => rmSync(home.path, { recursive: true, force: true }));
  const mark = { at: Date.now() - 60_000, uptime: 1000, bootId: "the-boot-of-the-watcher" };
  const writer = Writer.take(home);
  if (writer === undefined) throw new Error("the lock of a new home is taken");
  await using(await writer.openStore(), (store) => store.commit({ mark }));
  writer.release();
  const operations = operationsOf({ home: home.path });
  await operations.addAgent({ id: "bob" }, true);
  await operations.pauseAgent("bob");
  await operations.addSilence({ agents: "bob", why: "", by: "me", for: "1h" });
  const stored = await withStore(home, (store) => store.load());
  expect(stored).toMatchObject({ mark, blind: [] });
  expect(stored.agents.find(({ id }) => id === "bob")).toMatchObject({ pausedAt: expect.any(Number) });
});

it("without a watcher a home can be read and changed, and nothing runs", async () => {
  const home = homeAt(mkdtempSync(join(tmpdir(), "rollcall-fleet-")));
  onTestFinished(() => rmSync(home.path, { recursive: true, force: true }));
  const operations = operationsOf({ home: home.path });
  expect(await operations.incidentCounts()).toEqual({ open: 0, spokenFor: 0 });
  expect(existsSync(home.database)).toBe(false);
  const { token } = await operations.createToken({ scope: "read" });
  expect(await operations.tokens()).toEqual([token]);
  await operations.revokeToken(token.id);
  const { items } = await operations.audit({ limit: 9 });
  expect(items.map(({ what }) => what)).toEqual([`DELETE /api/v1/tokens/${token.id}`, "POST /api/v1/tokens"]);
  for (const attempt of [operations.runAction("x"), operations.takeStep("x", "wake")])
    await expect(attempt).rejects.toMatchObject({ code: "not-running" });
  expect((await operations.agent("x")).agent).toBeUndefined();
});
