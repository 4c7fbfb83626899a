import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../kit/tasks.fixture.ts";
import { readToken } from "./ask.ts";

const read = (tokenEnv?: string, tokenFile?: string, env = {}) =>
  readToken({ tokenEnv, tokenFile, env }, "board");

describe("the token", () => {
  it("is read from the environment or a file, anew each time, without the blanks around it", async () => {
    const { folder, remove } = temporaryFolder();
    onTestFinished(remove);
    const file = join(folder, "token");
    expect(await read("T", undefined, { T: "abc" })).toBe("abc");
    writeFileSync(file, "  one\n");
    expect(await read(undefined, file)).toBe("one");
    writeFileSync(file, "two\n");
    expect(await read(undefined, file)).toBe("two");
    expect(await read()).toBeUndefined();
  });

  it.each([
    ["is not set", {}, "there is none"],
    ["is empty", { T: " " }, "there is none"],
    ["has two lines", { T: "sec\nret" }, "what is there is not of one line of plain characters"],
    ["has other characters", { T: "secr\u00e9t" }, "what is there is not of one line of plain characters"],
  ])("that %s is a problem which names its place and never shows it", async (_, env, problem) => {
    await expect(read("T", undefined, env)).rejects.toMatchObject({
      code: "no-token",
      message: `board: expected a token in T; ${problem}`,
    });
  });

  it("that stands in no file is a problem", async () => {
    await expect(read(undefined, "/nowhere/token")).rejects.toMatchObject({
      message: "board: expected a token in /nowhere/token; there is none",
    });
    await expect(read(undefined, "/")).rejects.toMatchObject({ code: "no-token" });
  });
});
