import { describe, expect, it } from "vitest";
import { beforeCursor, notAtPrompt, screenFrom, shows } from "./screen.ts";

const ESC = "\u001b";

/** The screen with the cursor at the mark ▮, which is not part of it. */
function at(text: string) {
  const rows = text.split("\n");
  const y = rows.findIndex((row) => row.includes("▮"));
  const [before = ""] = (rows[y] ?? "").split("▮");
  const x = [...before.replaceAll(/\p{Cc}\[[0-9;]*m/gu, "")].length;
  return screenFrom(`${text.replace("▮", "")}\n`, { x, y });
}

describe("an empty prompt is", () => {
  it.each([
    ["a shell's", "dev@rec:proj$ ▮"],
    ["root's", "[root@host ~]# ▮"],
    ["an interpreter's", "333\n>>> ▮"],
    ["a bare one", "$ ▮"],
    [
      "Claude Code's, between two lines",
      `────────\n❯\u00a0${ESC}[7m▮ ${ESC}[0m\n────────\n  ? for shortcuts`,
    ],
    [
      "Codex's, with its faint placeholder",
      `${ESC}[1m›${ESC}[0m ▮${ESC}[2mAsk Codex to do anything\n\n  model · ~/proj`,
    ],
    ["one in a box with a frame", "╭──────╮\n│ > ▮  │\n╰──────╯"],
    ["OpenCode's box without a mark", "  ┃\n  ┃  ▮   \n  ┃\n  ┃  Build · model"],
  ])("%s", (_name, text) => {
    expect(notAtPrompt(at(text))).toBeUndefined();
  });
});

describe("nothing is typed at", () => {
  it.each([
    ["a half-typed command", "dev@rec:proj$ git com▮"],
    ["a half-typed command that ends with a prompt's mark", "dev@rec:proj$ echo 50% > ▮"],
    ["a half-typed command with the cursor at its beginning", "dev@rec:proj$ ▮git commit"],
    ["a half-typed line in a box", "────────\n❯ add a test▮\n────────"],
    ["a placeholder that is not faint, because it may be text", "› ▮Ask Codex to do anything"],
    ["the second line of a half-typed message", "❯ first\n  ▮"],
    ["the second line of a message in a box without a mark", "┃  first\n┃  ▮\n┃"],
    ["the first, empty line of a message with more below", "❯ ▮\n  second"],
    ["a question", "Do you want to continue? [Y/n] ▮"],
    ["another question", "rm: remove regular file 'x'? ▮"],
    ["a password", "Password: ▮"],
    ["a pager", "line 1\nline 2\n:▮"],
    ["an editor", "▮some text\n~\n~"],
    ["a program that says nothing", "▮"],
    ["a choice", "❯ 1. Yes▮\n  2. No"],
  ])("%s", (_name, text) => {
    expect(notAtPrompt(at(text))).toEqual(expect.any(String));
  });
});

describe("what was typed shows", () => {
  it.each([
    ["behind the prompt", "dev$ ", "dev$ go on▮", true],
    ["in a box", "│ > ", "│ > go on▮      │", true],
    ["broken over two rows of a box", "│ > ", "│ > go      │\n│   on▮", true],
    ["not if something else is there, too", "dev$ ", "dev$ xgo on▮", false],
    ["not if something follows", "dev$ ", "dev$ go onx▮", false],
    ["not yet", "dev$ ", "dev$ go▮", false],
    ["not any more after Enter", "dev$ ", "dev$ go on\n▮", false],
    ["not any more at the next prompt", "dev$ ", "dev$ go on\nsh: go: not found\ndev$ ▮", false],
  ])("%s", (_name, prompt, text, expected) => {
    expect(shows(at(text), prompt, "go on")).toBe(expected);
  });
});

it("faintness lasts over rows, and colours are not mistaken for it", () => {
  const { rows } = screenFrom(`${ESC}[2ma\nb${ESC}[22mc${ESC}[38;2;2;2;2md${ESC}[38;5;2me${ESC}[0;2mf\n`, {
    x: 0,
    y: 0,
  });
  expect(rows.map((row) => row.map(({ faint }) => faint))).toEqual([
    [true],
    [true, false, false, false, true],
  ]);
});

it("a cursor behind the end of the text counts the blanks before it", () => {
  expect(beforeCursor(screenFrom("$\n", { x: 2, y: 0 }))).toBe("$ ");
});
