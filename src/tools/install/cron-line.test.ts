import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cronLine } from "./cron-line.ts";

function line(...args: string[]): string {
  const command = ["printf", "%s\\0", ...args];
  return cronLine({ schedule: "* * * * *", variables: {}, command });
}

/** What a cron hands to the shell: some crons read two backslashes as one, others leave them alone. */
function byCron(command: string, foldsBackslashes: boolean): string {
  let [text, escaped] = ["", false];
  for (const character of command) {
    if (escaped && (character === "%" || (foldsBackslashes && character === "\\"))) {
      text = text.slice(0, -1) + character;
      escaped = false;
    } else if (character === "%") return text;
    else {
      text += character;
      escaped = !escaped && character === "\\";
    }
  }
  return text;
}

/** The arguments that the command of a line gets. */
function run(text: string, foldsBackslashes: boolean): string[] {
  const command = byCron(text.replace("* * * * * ", ""), foldsBackslashes);
  const { stdout } = spawnSync("/bin/sh", ["-c", command], { encoding: "utf8" });
  return stdout.split("\0").slice(0, -1);
}

describe("the command arrives as it was given, through cron and the shell", () => {
  test.each([
    ["plain words", ["a", "b-c", "/d/e.f"]],
    ["nothing", [""]],
    ["spaces", ["a b", " "]],
    ["a percent sign", ["%", "100%", "%Y-%m-%d"]],
    ["a percent sign behind backslashes", ["\\%", "\\\\%", "\\\\\\%"]],
    ["backslashes", ["\\", "\\\\", "\\\\\\", "a\\nb"]],
    ["quotes", ["'", '"', "it's", "'%'", "\\'", "'\\%'"]],
    ["what a shell would run", ["$(x)", "`x`", "$HOME", "; rm", "&& x", "> y", "* ? [a]", "~", "!x", "#x"]],
    ["other scripts", ["naïve 東京 👩‍🚀"]],
    ["options", ["--", "-x", "--a=b c"]],
  ])("%s", (_, args) => {
    for (const folds of [false, true]) expect(run(line(...args), folds)).toEqual(args);
  });

  test("whatever it is", () => {
    const character = fc.constantFrom("\\", "%", "'", '"', "$", " ", "a", "é", "`");
    const word = fc.string({ unit: character, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), fc.boolean(), (args, folds) => {
        expect(run(line(...args), folds)).toEqual(args);
      }),
      { numRuns: 100 },
    );
  });
});

test("variables are those of the line alone", () => {
  const job = { schedule: "@daily", variables: { PATH: "/a b:/c", HOME: "/r" }, command: ["/n", "x"] };
  expect(cronLine(job)).toBe("@daily /usr/bin/env 'PATH=/a b:/c' HOME=/r /n x");
});

test.each(["a\nb", "a\rb", "\0", "\x1b[0m"])("a control character is refused: %j", (text) => {
  expect(() => line(text)).toThrow(expect.objectContaining({ code: "bad-text" }));
});

test("a command that cron would not take is refused, counted in bytes", () => {
  const left = 998 - (Buffer.byteLength(line("é")) - "* * * * * ".length - 2);
  expect(() => line(`é${"a".repeat(left - 2)}`)).not.toThrow();
  expect(() => line(`é${"a".repeat(left - 1)}`)).toThrow("999 bytes, and cron accepts at most 998");
});
