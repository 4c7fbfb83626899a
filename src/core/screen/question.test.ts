import { describe, expect, it } from "vitest";
import { asksForSecret, questionIn } from "./question.ts";

const MENU = `
● Bash(make deploy)
╭──────────────────────────────────────────╮
│ Bash command                             │
│   make deploy                            │
│                                          │
│ Do you want to proceed?                  │
│ ❯ 1. Yes                                 │
│   2. Yes, and don't ask again for make   │
│      commands in /srv/app                │
│   3. No, and tell it what to do (esc)    │
╰──────────────────────────────────────────╯

  Esc to cancel
`.split("\n");

describe("the question on a screen", () => {
  it("has the choices of a menu, within a frame and over several rows", () => {
    const asked = questionIn(MENU);
    expect(asked?.text).toContain("make deploy\nDo you want to proceed?");
    expect(asked?.choices.map(({ number, label, key }) => [number, label, key])).toEqual([
      [1, "Yes", "1"],
      [2, "Yes, and don't ask again for make", "2"],
      [3, "No, and tell it what to do (esc)", "3"],
    ]);
  });

  it("stands below the menu of a shell", () => {
    const rows = ["dev@box:proj$ bash menu.sh", "1) staging", "2) production", "Choose a target: "];
    expect(questionIn(rows)).toEqual({
      text: "Choose a target:",
      choices: [
        { number: 1, label: "staging", key: "1" },
        { number: 2, label: "production", key: "2" },
      ],
    });
  });

  it("has yes and no where the prompt offers both", () => {
    expect(questionIn(["Overwrite notes.md? (y/n) "])?.choices.map(({ key }) => key)).toEqual(["y", "n"]);
  });

  it.each([
    [
      "a numbered list far above",
      ["1. first", "2. second", "", "a", "b", "c", "d", "Which one do you mean?", "> "],
    ],
    ["one item alone", ["1. the only step", "What now?"]],
    ["a list that does not begin at 1", ["2. two", "3. three"]],
  ])("has no choices: %s", (_, rows) => {
    expect(questionIn(rows)?.choices).toEqual([]);
  });

  it("is none on an empty screen", () => {
    expect(questionIn(["", "   ", ""])).toBeUndefined();
  });

  it.each([
    "Enter your password:",
    "Passphrase for key /root/.ssh/id:",
    "Paste your API key",
    "Verification code:",
  ])("asks for a secret: %s", (row) => {
    const asked = questionIn([row]);
    expect(asked !== undefined && asksForSecret(asked)).toBe(true);
  });
});
