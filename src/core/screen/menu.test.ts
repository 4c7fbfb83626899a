import { describe, expect, it } from "vitest";
import { askedBy } from "./menu.ts";
import { blankScreen, type Screen } from "./screen.ts";

/** A screen of a program that takes keys: it shows no cursor and draws none. */
const keyed = (text: string, screen: Partial<Screen> = {}): Screen => {
  const rows = text.split("\n");
  const cursor = { x: 0, y: rows.length, hidden: true };
  return { ...blankScreen(), rows: [...rows, ""], cursor, focus: null, ...screen };
};
/** A screen whose cursor shows, behind the last text. */
const typed = (text: string): Screen => {
  const rows = text.split("\n");
  const cursor = { x: (rows.at(-1) ?? "").length, y: rows.length - 1, hidden: false };
  return keyed(text, { cursor, focus: { x: cursor.x, y: cursor.y } });
};

/** A cursor that shows at this place. */
const at = (x: number, y: number): Partial<Screen> => ({ cursor: { x, y, hidden: false }, focus: { x, y } });

describe("a question is known by its layout", () => {
  it.each([
    ["a mark before it, and nothing behind it", typed("✔ Version minor\n? Ticket number "), "question"],
    ["a mark, and a value that stands ready", typed("? How many workers › 4"), "question"],
    [
      "a mark, and a key with Ctrl below it",
      keyed("? Token for the registry\nctrl+t toggle visibility"),
      "question",
    ],
    ["a mark, and two answers beside it", keyed("? Enable the cache › no / yes"), "question"],
    [
      "a mark, and fields below it",
      keyed("? Who is it\n⊙  First name : Jon\n⊙  Last name : Doe"),
      "question",
    ],
    [
      "a pointer, and a title that asks nothing",
      keyed("Choose the branch\n❯ main\n  next\n  hotfix"),
      "choice",
    ],
    ["a pointer at one of two answers", keyed("Drop the table?\n▸ keep it\n  drop it"), "choice"],
    [
      "answers side by side",
      keyed("Go on?\n\n  publish     hold back     ask me later\n\nleft/right, return"),
      "choice",
    ],
    [
      "answers side by side in a frame",
      keyed("┌─ publish it? ───┐\n│ now     later   │\n└─ ←→ and space ──┘"),
      "choice",
    ],
    ["a mark in one of several brackets", keyed("The channel:\n(x) stable\n( ) beta\n( ) nightly"), "choice"],
    [
      "letters before the answers, and the cursor in front of one",
      keyed("Two problems. What now?\n a. Ignore them\n b. Show them\n c. Stop", at(0, 2)),
      "choice",
    ],
  ])("by %s", (_, screen, kind) => expect(askedBy(screen)?.kind).toBe(kind));

  it.each([
    ["an answer, after which the cursor went on", typed("? Ticket number 17\n")],
    ["a footer that explains a key", keyed("done\n? for shortcuts")],
    ["what was said after it", typed("? Ticket number 17\nlooking for it\nfound")],
    ["a shell's prompt below a menu", typed("Choose the branch\n❯ main\n  next\n  hotfix\ndev@rec:proj$ ")],
    ["a message in a chat", keyed("hello\n> make it quick\n  and small")],
    ["a list above an input box", typed("Files:\n❯ a.c\n  b.c\n  c.c\n\n> ")],
    [
      "the lines of a text, and the cursor in them",
      keyed("Why?\n a. It is old\n b. It is slow\nSo it goes.", at(0, 1)),
    ],
    ["what is written behind a letter", keyed("What is it?\n a. It is o\n b. It is slow", at(12, 1))],
    ["brackets of a list of things to do", keyed("To do:\n[x] parse\n[ ] test\n[ ] write")],
    ["a table below a question", keyed("Which one is it?\na.c     120     main\nb.c     340     next")],
  ])("but not by %s", (_, screen) => expect(askedBy(screen)).toBeUndefined());
});
