import { describe, expect, it } from "vitest";
import { environmentFor, variablesIn } from "./environment.ts";

const DAEMON = {
  PATH: "/bin",
  HOME: "/home/me",
  USER: "me",
  LOGNAME: "me",
  SHELL: "/bin/sh",
  LANG: "C.UTF-8",
  LC_TIME: "C",
  TERM: "xterm",
  TZ: "UTC",
  TMPDIR: "/tmp",
  XDG_RUNTIME_DIR: "/run/user/1000",
  ROLLCALL_HOME: "/home/me/.rollcall",
};
const KEPT_BACK = {
  GITEA_TOKEN: "t",
  TELEGRAM_BOT_TOKEN: "t",
  EDITOR: "vi",
  NODE_OPTIONS: "--inspect",
  ROLLCALL_WEBHOOK_SECRET: "s",
  ROLLCALL_TOKEN: "t",
  ROLLCALL_ADDRESS: "https://me:hunter22@example.org",
  ROLLCALL_RUN: "1",
  ROLLCALL_AGENT: "another",
  ROLLCALL_CYCLE: "7",
  UNSET: undefined,
};

describe("the environment of a command that the daemon starts", () => {
  it("holds what every program needs, and no secret", () => {
    expect(environmentFor({ ...DAEMON, ...KEPT_BACK })).toEqual(DAEMON);
  });

  it("holds what the config gives and passes on, and nothing of what is not set", () => {
    const extra = { env: { EDITOR: "ed", MODE: "x" }, passEnv: ["GITEA_TOKEN", "UNSET", "EDITOR"] };
    expect(environmentFor({ ...DAEMON, ...KEPT_BACK }, extra)).toEqual({
      ...DAEMON,
      GITEA_TOKEN: "t",
      EDITOR: "ed",
      MODE: "x",
    });
  });
});

it("finds the variables that a command mentions", () => {
  const text = 'a "$ONE" $_TWO $ONE $$ $1 \\x$THREE';
  expect(variablesIn(text)).toEqual(["ONE", "_TWO", "THREE"]);
  const braced = ["{ONE}", "{TWO:-x}", "{#THREE}", "{}"].map((each) => `$${each}`).join("");
  expect(variablesIn(braced)).toEqual(["ONE", "TWO", "THREE"]);
});
