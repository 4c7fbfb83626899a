import { describe, expect, it } from "vitest";
import { httpSettings } from "./index.ts";

const url = "https://board.example.org/tasks";

describe("the settings of a server with tasks", () => {
  it("need only an address", () => {
    expect(httpSettings.parse({ url })).toEqual({ url, timeoutMs: 30_000 });
  });

  it.each<[string, object, string]>([
    ["no address", {}, "url: an address such as https://board.example.org/tasks"],
    ["another protocol", { url: "ftp://x/" }, "url: an address such as https://board.example.org/tasks"],
    [
      "a password",
      { url: "https://u:p@x/" },
      "url.password: no user and no password in the address, but tokenEnv or tokenFile",
    ],
    [
      "a variable that is none",
      { url, tokenEnv: "$T" },
      "tokenEnv: the name of an environment variable such as TASKS_TOKEN",
    ],
    ["no file", { url, tokenFile: "" }, "tokenFile: the path of a file that holds the token"],
    [
      "two tokens",
      { url, tokenEnv: "T", tokenFile: "t" },
      "tokenFile: either tokenEnv or tokenFile, not both",
    ],
    ["an endless patience", { url, timeoutMs: 1e9 }, "timeoutMs: milliseconds, at most 600000"],
  ])("say what would be right instead of %s", (_, settings, problem) => {
    const issues = httpSettings.safeParse(settings).error?.issues ?? [];
    expect(issues.map(({ path, message }) => `${path.join(".")}: ${message}`)).toEqual([problem]);
  });
});
