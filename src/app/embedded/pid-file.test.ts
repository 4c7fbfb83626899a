import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { PidFile } from "./pid-file.ts";

function pathInNewFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-pid-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "below", "gateway.pid");
}

/** Another process, which lives until the test ends or ends it. */
function otherProcess(): { readonly pid: number; readonly end: () => Promise<void> } {
  const child: ChildProcess = spawn("sleep", ["600"], { stdio: "ignore" });
  const gone = once(child, "exit");
  const end = async () => {
    child.kill("SIGKILL");
    await gone;
  };
  onTestFinished(end);
  return { pid: child.pid ?? 0, end };
}

describe("C7: a PID file", () => {
  it("is written, read and removed, and its first line is the bare pid", async () => {
    const path = pathInNewFolder();
    const file = new PidFile(path);
    expect([await file.read(), await file.exists()]).toEqual([null, false]);
    await file.write(process.pid);
    await file.write(process.pid);
    expect([await file.read(), await file.exists()]).toEqual([process.pid, true]);
    expect(readFileSync(path, "utf8").split("\n")[0]).toBe(String(process.pid));
    await file.remove();
    await file.remove();
    expect([await file.read(), existsSync(path)]).toEqual([null, false]);
  });

  it("names nobody once its process is gone, or its number is another process's", async () => {
    const path = pathInNewFolder();
    const file = new PidFile(path);
    const other = otherProcess();
    await file.write(other.pid);
    expect(await file.read()).toBe(other.pid);
    await other.end();
    expect([await file.read(), await file.exists()]).toEqual([null, false]);
    await file.write(process.pid);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace(/"startTime":"\d+"/, '"startTime":"1"'));
    expect([await file.read(), await file.exists()]).toEqual([null, false]);
  });

  it("of another running process is neither taken nor removed", async () => {
    const path = pathInNewFolder();
    const other = otherProcess();
    const theirs = new PidFile(path);
    await theirs.write(other.pid);
    const ours = new PidFile(path);
    await expect(ours.write(process.pid)).rejects.toThrow(
      expect.objectContaining({
        code: "already-running",
        message: expect.stringContaining(String(other.pid)),
      }),
    );
    await ours.remove();
    expect(await ours.read()).toBe(other.pid);
    await theirs.remove();
    expect(existsSync(path)).toBe(false);
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 31])(
    "is not written for %s, which is no running process",
    async (pid) => {
      await expect(new PidFile(pathInNewFolder()).write(pid)).rejects.toThrow(
        `pid is ${pid}; expected the number of`,
      );
    },
  );
});
