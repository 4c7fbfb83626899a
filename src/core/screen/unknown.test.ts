import { describe, expect, it } from "vitest";
import { loadPacks } from "../../signals/screens/packs.ts";
import { read } from "./read.ts";
import type { ScreenReading } from "./reading.ts";
import { blankScreen, type Frame, type Screen } from "./screen.ts";
import type { ReaderState } from "./state.ts";

const packs = loadPacks();

/** Shows screens to the reader, each for some seconds at four frames a second; the cursor is hidden below. */
function shown(
  ...steps: { rows: (i: number) => string; for: number; screen?: Partial<Screen> }[]
): ScreenReading {
  let state: ReaderState | undefined;
  let reading: ScreenReading | undefined;
  let t = 0;
  for (const step of steps) {
    let before = "";
    for (let i = 0; i < step.for * 4; i += 1) {
      const text = step.rows(i);
      const rows = text.split("\n");
      const cursor = { x: 0, y: rows.length, hidden: true };
      const frame: Frame = {
        t,
        screen: { ...blankScreen(), rows: [...rows, ""], cursor, ...step.screen },
        bytes: text === before ? 0 : 50,
        scrolled: 0,
      };
      ({ state, reading } = read(state, frame, packs, { zone: "UTC" }));
      before = text;
      t += 250;
    }
  }
  if (reading === undefined) throw new Error("nothing was shown");
  return reading;
}

const still = (text: string, screen: Partial<Screen> = {}) => shown({ rows: () => text, for: 4, screen });

describe("a dialog of a make that was never met", () => {
  it.each([
    [
      "with marks in circles",
      "◆  The agent would like to use a tool. Allow?\n│  ● Yes, once\n│  ○ Always\n│  ○ No\n└",
    ],
    [
      "with buttons and keys",
      "Permission needed\nTool  bash\n npm test\n   Allow (a)   Allow for session (s)   Deny (d)",
    ],
    [
      "with a pointer and keys",
      "Run this command?\n → Run (y) (enter)\n   Reject (esc or p)\n   Add it to the list (tab)",
    ],
    [
      "with a plain pointer",
      "EXECUTE  npm test\n > Yes, allow\n   Yes, and always allow\n   No, cancel\n  Use ↑↓ to navigate, Enter to select, Esc to cancel",
    ],
    [
      "with two marks",
      "Invoke the tool shell?\n ▸● Approve\n   ○ Allow all for this session\n   ○ Deny with feedback",
    ],
    ["with letters in brackets", "Allow this tool call?\n [Y] yes  [N] no  [A] always"],
    ["with letters in words", "Write 3 files?\n[A]llow  [D]eny  [S]kip"],
    ["that only wants a letter", "I will remove the folder build.\nContinue? (y/n)"],
    ["that names the letters", "I will remove the folder build.\nDo you want to go on? Press y or n"],
    ["with a pointer and signs for keys", "Pick a size\n❯ small\n  large\n\n↑↓ navigate • ⏎ select"],
    ["with a pointer and nothing else", "Apply the changes to 3 files?\n▸ Yes\n  No"],
    [
      "that says what the digits do",
      "Plan is ready.\n 1. Start with it\n 2. Change it\n 3. Drop it\nEnter a number to choose",
    ],
  ])("%s waits for a person", (_, text) => {
    expect(still(text)).toMatchObject({ state: "waiting" });
  });
  it.each([
    [
      "a question",
      "● Shall I go on with the other files?\n\n──────────────\n❯ \n──────────────\n  ? for shortcuts",
    ],
    [
      "a list",
      "● Next steps:\n  1. Run the tests\n  2. Write the notes\n\n──────────────\n❯ \n──────────────\n  ? for shortcuts",
    ],
    [
      "yes and no",
      "● Yes, it is done.\n  No test fails.\n\n──────────────\n❯ \n──────────────\n  ? for shortcuts",
    ],
  ])("is not what an agent at its prompt has said: %s", (_, text) => {
    expect(
      still(text, { cursor: { x: 2, y: text.split("\n").indexOf("❯ "), hidden: false }, paste: true }),
    ).toMatchObject({
      state: "idle",
    });
  });
});

describe("a spinner of a make that was never met", () => {
  it.each([
    ["moons", ["🌑", "🌒", "🌓", "🌔"]],
    ["clocks", ["🕐", "🕑", "🕒", "🕓"]],
    ["quarters of a block", ["▖", "▘", "▝", "▗"]],
    ["arrows", ["←", "↖", "↑", "↗"]],
    ["a growing bar", ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]],
  ])("of %s says nothing new", (_, glyphs) => {
    const rows = (i: number) =>
      `> explain it\n\n${glyphs[i % glyphs.length]} one moment\n──────────────\n❯ \n──────────────`;
    expect(shown({ rows, for: 14 })).toMatchObject({ state: "spinning" });
  });
  it("says nothing new when it shows one tip after the other", () => {
    const tips = [
      "name a file with @",
      "leave with ctrl+d",
      "undo with ctrl+z",
      "ask for a plan first",
      "be brief",
    ];
    const rows = (i: number) =>
      `> explain it\n\n${"⠋⠙⠹⠸"[i % 4]} · Tip: ${tips[Math.floor(i / 16) % 5]}\n──────────────\n❯ \n──────────────`;
    expect(shown({ rows, for: 18 })).toMatchObject({ state: "spinning" });
  });
});

describe("an agent of a make that was never met", () => {
  it.each([
    ["its box says what to ask", "╭────────────╮\n│ > Ask anything │\n╰────────────╯"],
    [
      "its footer names its keys",
      "──────────────\n> \n──────────────\n / commands · @ files · shift+tab auto-approve",
    ],
  ])("has exited when a shell's prompt is back, if %s", (_, text) => {
    const prompt = "Bye.\ndev@rec:proj$ ";
    const reading = shown(
      { rows: () => text, for: 3, screen: { paste: true } },
      { rows: () => prompt, for: 3, screen: { cursor: { x: 14, y: 1, hidden: false } } },
    );
    expect(reading.state).toBe("exited");
  });
});

describe("what an agent names on a busy screen is not asked of anybody", () => {
  const busy = (said: string) => (i: number) =>
    `${said}\n\n${"⠋⠙⠹⠸"[i % 4]} Pondering… (${Math.floor(i / 4)}s · esc to interrupt)\n──────────────\n❯ \n──────────────\n  esc to interrupt`;
  it.each([
    ["● Edit(ui/parts/sign-in.tsx)"],
    ["⏺ Read(src/auth/login.ts)"],
    ["● Update(docs/how-to-authenticate.md)\n  ⎿  Updated docs/how-to-authenticate.md with 3 additions"],
    ['● Bash(grep -rn "api key" src | head)'],
    ['● Search(pattern: "enter your api key", path: "src")'],
    ["• Edited ui/parts/sign-in.tsx (+3 -1)"],
    ["→ Read ui/parts/sign-in.tsx"],
    ['✱ Grep "log in" in src/pages'],
    ["> add a sign-in page"],
    ["❯ let people log in with a browser"],
    ["● I will now write the sign-in page."],
    ["● The log in form asks for an API key"],
    ["● Write(src/limits/usage-limit-reached.ts)\n  1. Stop\n● Continue with the tests"],
    ["● Read(src/dialogs/permission-required.ts)"],
    ["● Bash(echo 'Continue? (y/n)')"],
    ["● Read(src/net/retrying in 8s attempt 1/10.ts)"],
  ])("%j", (said) => {
    expect(shown({ rows: busy(said), for: 4 }).state).toBe("working");
  });
  it.each([
    ["● Edit(ui/parts/sign-in.tsx)\n  ⎿  Added 3 lines, select and enter"],
    ["● You can now select a sign-in page."],
    ["> choose how people log in\n● Done: they use an API key."],
  ])("nor on an idle one: %j", (said) => {
    const text = `${said}\n\n──────────────\n❯ \n──────────────\n  ? for shortcuts`;
    const cursor = { x: 2, y: text.split("\n").indexOf("❯ "), hidden: false };
    expect(still(text, { cursor, paste: true }).state).toBe("idle");
  });
  it.each([
    ["● 1. Log in with a browser\n  2. Use an API key\nEnter to select · Esc to cancel"],
    ["How would you like to log in?\n❯ Sign in with Example\n  Use an API key\n(Use Enter to select)"],
  ])("but a choice of ways to sign in is: %j", (text) => {
    expect(still(text).state).toBe("login");
  });
});
