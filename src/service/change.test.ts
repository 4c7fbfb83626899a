import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Home, homeAt } from "../home/home.ts";
import { LockedPidFile } from "../home/pid-file.ts";
import type { PidRecord } from "../home/pid-record.ts";
import { Writer } from "../home/store.ts";
import { FileLock } from "../system/lock.ts";
import { incarnationOf } from "../system/proc.ts";
import { change } from "./change.ts";

function temporaryHome(): Home {
  const path = mkdtempSync(join(tmpdir(), "rollcall-change-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return homeAt(path);
}

/** The PID file of a daemon that lives: this very process. */
function recordOf(url?: string): PidRecord {
  const incarnation = incarnationOf(process.pid);
  if (incarnation === undefined) throw new Error("this test needs /proc");
  return { incarnation, startedAt: new Date().toISOString(), version: "0", ...(url && { url }) };
}

const ways = { ask: async (url: string) => url, write: async () => "written" };

it("goes through the watcher that runs, and into the store where none does", async () => {
  const home = temporaryHome();
  expect(await change(home, ways)).toBe("written");
  new LockedPidFile(home.pidFile).write(recordOf("http://here"));
  expect(await change(home, ways)).toBe("http://here");
});

it("does not write while a watcher starts, and says which process it waited for", async () => {
  const home = temporaryHome();
  new LockedPidFile(home.pidFile).write(recordOf());
  await expect(change(home, ways, 0)).rejects.toThrow(
    `nothing was changed: the watcher (process ${process.pid}) is still not ready`,
  );
});

it("asks again where a watcher that stops refused the connection, and writes once it is gone", async () => {
  const home = temporaryHome();
  const pidFile = new LockedPidFile(home.pidFile);
  pidFile.write(recordOf("http://here"));
  const ask = async () => {
    pidFile.remove(recordOf());
    throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  };
  expect(await change(home, { ...ways, ask })).toBe("written");
});

it("refuses when another process keeps the lock, and names the lock", async () => {
  const home = temporaryHome();
  const lock = FileLock.take(home.writerLock);
  await expect(change(home, ways, 0)).rejects.toThrow(`another process has held ${home.writerLock}`);
  lock?.release();
  expect(await change(home, ways, 0)).toBe("written");
});

it("releases the lock when the change fails", async () => {
  const home = temporaryHome();
  const write = () => Promise.reject(new Error("no such agent"));
  await expect(change(home, { ...ways, write })).rejects.toThrow("no such agent");
  expect(await change(home, ways, 0)).toBe("written");
});

it("a daemon is refused while another one holds the home, seen or unseen", async () => {
  const home = temporaryHome();
  const first = await Writer.takeForLife(home, 0);
  await expect(Writer.takeForLife(home, 0)).rejects.toMatchObject({ code: "home-busy" });
  new LockedPidFile(home.pidFile).write({
    ...recordOf(),
    incarnation: { pid: 2 ** 30, startTime: "1", bootId: "x" },
  });
  await expect(Writer.takeForLife(home, 0)).rejects.toThrow(
    `names process ${2 ** 30}, which cannot be seen from here`,
  );
  new LockedPidFile(home.pidFile).write(recordOf());
  await expect(Writer.takeForLife(home, 0)).rejects.toMatchObject({ code: "already-running" });
  first.release();
  expect(() => first.openStore()).toThrow("released");
  (await Writer.takeForLife(home, 0)).release();
});
