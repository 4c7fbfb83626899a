import { describe, expect, it, test } from "vitest";
import * as z from "zod";
import { channelSettings, channelsSettings } from "./settings.ts";

const email = { kind: "email", from: "a@x.org", to: "b@x.org" };
const hook = { kind: "webhook", secretEnv: "S" };

describe("what is wrong is told by its place and by what would be right", () => {
  it.each([
    [{ kind: "pigeon" }, "kind", "a kind: telegram, slack"],
    ["telegram", "", "a kind: telegram, slack"],
    [{ kind: "telegram" }, "chat", "the id of a chat"],
    [{ kind: "telegram", chat: 1, token: "s3cret" }, "", "only the keys kind, chat, tokenEnv"],
    [
      { kind: "telegram", chat: 1, tokenEnv: "A", tokenFile: "/b" },
      "tokenFile",
      "one of tokenEnv or tokenFile",
    ],
    [
      { kind: "telegram", chat: 1, url: "api.telegram.org" },
      "url",
      "an address such as https://api.telegram.org",
    ],
    [{ kind: "slack" }, "urlEnv", "urlEnv or urlFile"],
    [
      { kind: "slack", url: "https://hooks.slack.com/services/s3cret" },
      "",
      "only the keys kind, urlEnv, urlFile",
    ],
    [{ kind: "discord", urlEnv: "A", urlFile: "/b" }, "urlFile", "one of urlEnv or urlFile"],
    [{ kind: "ntfy", topic: "a b" }, "topic", "a topic of up to 64 letters"],
    [hook, "url", "url, urlEnv or urlFile"],
    [{ ...hook, url: "https://u:s3cret@x.org" }, "url", "without a user and a password"],
    [{ kind: "webhook", url: "https://x.org" }, "secretEnv", "secretEnv or secretFile"],
    [email, "host", "host, urlEnv or urlFile"],
    [{ ...email, host: "h", urlEnv: "A" }, "urlEnv", "one of host, urlEnv or urlFile"],
    [{ ...email, host: "h", user: "u" }, "passwordEnv", "a user together with passwordEnv or passwordFile"],
    [{ ...email, host: "h", passwordEnv: "P" }, "user", "a user together with passwordEnv or passwordFile"],
    [{ ...email, urlEnv: "A", port: 25 }, "host", "a host together with a port"],
    [{ ...email, host: "h", to: ["x", "y@x.org"] }, "to.0", "an address such as rollcall@example.org"],
    [
      { ...email, host: "h", from: "a@x.org\nBcc: c@x.org" },
      "from",
      "an address such as rollcall@example.org",
    ],
    [{ ...email, host: "h", to: 7 }, "to", "an address such as rollcall@example.org, or a list of them"],
    [{ ...email, host: "h", port: 0 }, "port", "a port such as 587"],
    [{ kind: "console", stream: "log" }, "stream", "stdout or stderr"],
    [{ kind: "command", argv: "rm -rf /" }, "argv", "a list such as"],
    [{ kind: "command", argv: [] }, "argv", "a list such as"],
  ])("%j", (settings, path, says) => {
    const { error } = channelSettings.safeParse(settings);
    const told = error?.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`) ?? [];
    expect(
      told.some((line) => line.startsWith(`${path}: `) && line.includes(says)),
      told.join("\n"),
    ).toBe(true);
    expect(told.join()).not.toContain("s3cret");
  });
});

test("the name of a channel is simple", () => {
  expect(channelsSettings.safeParse({ "a b": { kind: "console" } }).success).toBe(false);
  expect(channelsSettings.parse({ ops: { kind: "console" } })).toEqual({
    ops: { kind: "console", stream: "stdout" },
  });
});

test("settings that were checked are good when they are read again", () => {
  for (const given of [
    { kind: "telegram", chat: 1, tokenFile: "/t" },
    { kind: "ntfy", topic: "t" },
    { ...email, host: "h", port: 25 },
  ]) {
    const once = channelSettings.parse(given);
    expect(channelSettings.parse(JSON.parse(JSON.stringify(once)))).toEqual(once);
  }
});

test("editors can be told what is right", () => {
  expect(JSON.stringify(z.toJSONSchema(channelsSettings, { io: "input" }))).toContain("urlFile");
});
