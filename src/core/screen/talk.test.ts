import { describe, expect, it } from "vitest";
import { loadPacks } from "../../signals/screens/packs.ts";
import { read } from "./read.ts";
import type { ReadingState } from "./reading.ts";
import { blankScreen, type Frame } from "./screen.ts";
import type { ReaderState } from "./state.ts";

const packs = loadPacks();
const line = "─".repeat(60);
const boxed = (text: string) => `╭${line}╮\n│ > ${text.padEnd(57)}│\n╰${line}╯`;

/** What stands below a conversation, and the row and column in it where text goes; `hidden` if no cursor shows that. */
const BOXES = {
  "a prompt between lines": { text: `${line}\n❯ \n${line}\n  ? for shortcuts`, x: 2, y: 1 },
  "a prompt and a busy line": {
    ...{ text: `✽ Working… (3s · ↓ 12 tokens)\n\n${line}\n❯ \n${line}\n  esc to interrupt`, x: 2, y: 3 },
    isBusy: true,
  },
  "a prompt without lines": {
    ...{ text: "› Ask Codex to do anything\n\n  ? for shortcuts          100% context left", x: 2, y: 0 },
  },
  "a box": { text: `${boxed("Type your message")}\n  Shift+Tab:mode  Enter:send`, x: 4, y: 1 },
  "a box and a spinner": {
    ...{ text: `⠋ Thinking… (esc to cancel, 3s)\n${boxed("Type your message")}`, x: 4, y: 2, isBusy: true },
  },
  "a box without a cursor": { text: `${boxed("Ask anything")}\n  / commands`, x: 0, y: 3, hidden: true },
} as const;

function readingOf(talk: string, name: keyof typeof BOXES): ReadingState | undefined {
  const box = { isBusy: false, hidden: false, ...BOXES[name] };
  const above = `${talk}\n\n`.split("\n").length - 1;
  const place = { x: box.x, y: above + box.y };
  let state: ReaderState | undefined;
  let last: ReadingState | undefined;
  for (let i = 0; i < 20; i += 1) {
    const text = `${talk}\n\n${box.text}`.replace("3s", `${Math.floor(i / 4) + 3}s`);
    const frame: Frame = {
      t: i * 250,
      bytes: i === 0 || box.isBusy ? 100 : 0,
      scrolled: 0,
      screen: {
        ...{ ...blankScreen(), paste: true, rows: [...text.split("\n"), ""] },
        ...{ cursor: { ...place, hidden: box.hidden }, focus: box.hidden ? null : place },
      },
    };
    const next = read(state, frame, packs, { zone: "UTC" });
    ({ state } = next);
    last = next.reading.state;
  }
  return last;
}

const names = Object.keys(BOXES) as (keyof typeof BOXES)[];

describe("what a person typed, and how the agent answers, is no menu", () => {
  const typed = ["run the tests", "yes, do that", "approve it", "trust me"];
  const answers = [
    "● No tests failed.",
    "● No, that would break the parser",
    "  Skip: the file is not there",
    "● I ran it:\n  1. lint ok\n  2. No errors",
  ];
  it.each(names)("above %s", (box) => {
    for (const words of typed)
      for (const answer of answers)
        for (const mark of ["❯", ">", "›"])
          expect([words, answer, readingOf(`${mark} ${words}\n\n${answer}`, box)]).not.toContain("waiting");
  });
});

describe("what an agent says, writes or runs asks nobody", () => {
  const talks = {
    "a list of keys": "> help\n\n⏺ Keys: ↑/↓ to select, Enter to confirm, Esc to cancel.",
    "two ways":
      "❯ which one?\n\n● Two ways:\n  1. Yes, drop the table\n  2. No, keep it\n\n  Which do you prefer?",
    "how to sign in": "❯ how?\n\n● Run /login, then choose a method:\n  1. Claude account\n  2. API key",
  };
  const isFocused = names.filter((name) => !("hidden" in BOXES[name]));
  it.each(Object.entries(talks))("%s", (_, talk) => {
    for (const box of isFocused) expect(["working", "idle"]).toContain(readingOf(talk, box));
  });
});

describe("what a tool printed holds nobody up", () => {
  const talks = {
    "a limit of another server":
      "❯ x\n\n● Bash(curl -i localhost)\n  ⎿  HTTP/1.1 429 Too Many Requests\n     retry-after: 30",
    "a limit, under a call in words": "› x\n\n• Ran curl -i localhost\n  └ error: 429 Too Many Requests",
    "an error with its status": "❯ x\n\n● Bash(deploy)\n  ⎿  Request failed: HTTP 429",
    "a key that is wrong": "❯ x\n\n● Bash(psql)\n  ⎿  Error: invalid api key",
    "a download that tries again": "❯ x\n\n● Bash(curl -O x)\n  ⎿  Will retry in 2 seconds. 3 retries left.",
    "the lines of a change":
      "❯ x\n\n● Update(app.ts)\n  ⎿  Updated app.ts\n       14 +  throw new Error('You have hit your usage limit')\n       15 +  // Not logged in",
  };
  it.each(Object.entries(talks))("%s", (_, talk) => {
    for (const box of names) expect(["working", "idle"]).toContain(readingOf(talk, box));
  });

  it("but a client's own notice does, even right below what was typed", () => {
    const notice = "❯ x\n  ⎿  You've hit your session limit · resets 9:15pm (UTC)";
    expect(readingOf(notice, "a prompt between lines")).toBe("limited");
    expect(readingOf("❯ x\n\n● Bash(ls)\n  ⎿  a.ts\n\n  429 Too Many Requests", "a box")).toBe("limited");
  });
});
