import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { path, sessionLogs } from "./index.ts";

const NOW = 1_800_000_000_000;

function logsInNewFolder() {
  const root = mkdtempSync(join(tmpdir(), "rollcall-session-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "a", "logs");
  return { folder, logs: sessionLogs({ folder, now: () => NOW }) };
}

describe("B2: the logs of sessions", () => {
  it("have a path, a time, an age and a text, in a folder and by a clock of the caller's", async () => {
    const { folder, logs } = logsInNewFolder();
    expect(logs.path("cistern-w1")).toBe(join(folder, "cistern-w1.log"));
    expect(
      await Promise.all([logs.mtime("cistern-w1"), logs.age("cistern-w1"), logs.read("cistern-w1")]),
    ).toEqual([...[null, null, null]]);
    expect(await logs.ensureDir()).toBe(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    writeFileSync(logs.path("cistern-w1"), "one\ntwo é\n");
    utimesSync(logs.path("cistern-w1"), (NOW - 5000) / 1000, (NOW - 5000) / 1000);
    expect(await logs.mtime("cistern-w1")).toBe(NOW - 5000);
    expect(await logs.age("cistern-w1")).toBe(5000);
    expect(await logs.read("cistern-w1")).toBe("one\ntwo é\n");
    expect(await logs.read("cistern-w1", 4)).toBe(" é\n");
  });

  it("are opened to append, for their owner alone, and put aside when they are too large", () => {
    const { logs } = logsInNewFolder();
    const append = (text: string) => {
      const { fd, size, path } = logs.open("x", 3);
      writeSync(fd, text);
      closeSync(fd);
      return { size, mode: statSync(path).mode & 0o777 };
    };
    expect(append("abc")).toEqual({ size: 0, mode: 0o600 });
    expect(append("d")).toEqual({ size: 3, mode: 0o600 });
    expect(append("e")).toEqual({ size: 0, mode: 0o600 });
    expect(statSync(`${logs.path("x")}.1`).size).toBe(4);
  });

  it("take a name as it is, also with characters that a pattern would have", async () => {
    const { logs } = logsInNewFolder();
    await logs.ensureDir();
    writeFileSync(logs.path("a*{b}"), "mine");
    writeFileSync(logs.path("ax"), "another's");
    expect(await logs.read("a*{b}")).toBe("mine");
  });

  it.each(["", ".", "..", "../x", "a/b", "a\0b"])("refuse the name %j", (name) => {
    expect(() => logsInNewFolder().logs.path(name)).toThrow(
      expect.objectContaining({
        code: "bad-name",
        message: expect.stringContaining("expected a file's name"),
      }),
    );
  });

  it("say what stands in the place of a log", async () => {
    const { logs } = logsInNewFolder();
    mkdirSync(logs.path("x"), { recursive: true });
    const message = `the log ${logs.path("x")} is a folder, not a file`;
    await expect(logs.read("x")).rejects.toThrow(expect.objectContaining({ code: "unreadable", message }));
  });

  it("are in the home unless a folder is given", () => {
    const before = process.env.ROLLCALL_HOME;
    onTestFinished(() => {
      if (before === undefined) delete process.env.ROLLCALL_HOME;
      else process.env.ROLLCALL_HOME = before;
    });
    process.env.ROLLCALL_HOME = "/somewhere";
    expect(path("allegro")).toBe("/somewhere/logs/allegro.log");
  });
});
