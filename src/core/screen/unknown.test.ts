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
      "without a frame, over the middle of the input box",
      "  Let's configure your models.\n╭───    →   Continue      ───╮\n│ ›         Skip            │\n╰───                      ───╯\n▐build▌",
    ],
    [
      "without a frame, over the end of the input box and below it",
      "╭─────────\n│ ›            Welcome\n╰─────────\n▐build▌         Continue\n            →   Skip",
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
    ["with a prompt below its letters", "Allow this action? Use 't' to trust the tool. [y/n/t]:\n\n> "],
    [
      "with letters in a column",
      "It wants to run:\n  npm test\n\n  y  run it\n  n  don't run it\n  a  always",
    ],
    ["with colons behind its digits", "I need your permission to run it\n1: Yes\n2: Yes, always\n3: No"],
    ["with a mark before its question", "? Which colour should it be?\n  red\n> blue"],
    ["whose choice is only painted", "Review the plan\n  Approve and start\n  Keep planning\n  Cancel"],
    ["with letters some rows below", "It is no git repository. Do you want to go on?\n\n/tmp/proj\n\ny/N"],
    [
      "with circles",
      "Select a theme\n● Default Dark\n○ Dracula\n○ Light\n\n(Use Enter to select, Tab to change focus)",
    ],
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
      "a list of tasks with circles",
      "● Plan it\n○ Write the tests\n○ Write it\n\n──────────────\n❯ \n──────────────\n  enter to send",
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

/** What an agent of no known make shows above its input box. */
const inBox = (said: string) =>
  `> do it\n\n${said}\n\n╭──────────────────╮\n│ > Ask anything   │\n╰──────────────────╯\n  /help for commands`;
const turning = (i: number) => "⠋⠙⠹⠸"[i % 4];

describe("a full screen of a program that was never met", () => {
  const full = (text: string) =>
    still(text, { alternate: true, cursor: { x: 0, y: text.split("\n").length, hidden: false } }).state;
  it("waits for a person if the cursor is on its last row", () => {
    expect(full("a long page\nof some manual")).toBe("waiting");
  });
  it("rests if it draws a cursor of its own elsewhere", () => {
    const screen = { alternate: true, cursor: { x: 9, y: 2, hidden: true }, focus: { x: 5, y: 0 } };
    expect(still("ask›\n\nF1 help", screen).state).toBe("idle");
  });
  it.each([
    [" IDLE │ main │ small-1 │ usage limit reached — resets 14:00", "limited"],
    [" small-1   busy 12s      429 rate limit, paused for 9s", "limited"],
    [" main • small-1 • Not logged in", "login"],
    [" step 3/9   server error 502, retrying in 8s", "retrying"],
    [" main │ small-1 │ 12% of the limit used", "idle"],
  ])("is read by a part of its status bar: %j", (bar, state) => {
    const screen = { alternate: true, cursor: { x: 2, y: 1, hidden: true }, focus: { x: 2, y: 1 } };
    expect(still(`the answer\n» \n\n${bar}`, screen).state).toBe(state);
    expect(still(`${bar}\n\nthe answer\n» `, { ...screen, focus: { x: 2, y: 3 } }).state).toBe(state);
  });
  it("asks nothing while it is still empty", () => {
    expect(full("\n\n")).toBe("working");
  });
});

describe("a retry in words that were never met", () => {
  it.each([
    ["⏱️ Rate limit reached. Waiting 7s before retry (attempt 2/3)..."],
    ["Agent is Rate Limited. Retrying automatically..."],
    ["Retrying step 1 for the 2 time. Waiting 4.3 seconds."],
    ["Retry #2, retrying within 6.1s.."],
    ["Network error. Will try again in 10s."],
    ["Server busy, waiting 10s to retry"],
    ["Waiting 20 seconds for rate limit"],
    ["Rate-limited. Next request in 14s"],
    ["API overloaded; retry 3 in 12s"],
    ["Error: overloaded_error · retrying"],
  ])("is read under a spinner, beside it and without one: %j", (words) => {
    const steps = [
      () => inBox(words),
      (i: number) => inBox(`${turning(i)} ${words}`),
      (i: number) => inBox(`${words}\n\n${turning(i)} Thinking… (${i >> 2}s · esc to interrupt)`),
    ];
    const busy = { rows: (i: number) => inBox(`${turning(i)} Thinking…`), for: 3 };
    const states = steps.map((rows) => shown(busy, { rows, for: 4 }).state);
    expect(states.filter((state) => state !== "retrying" && state !== "limited")).toEqual([]);
  });
});

it("a retry that was given up is not believed again while it stands above the idle prompt", () => {
  const tried = "● Request failed due to a transient API error. Retrying...";
  const failed = `${tried}\n\n✗ Failed to get a response from the model; retried 5 times. 503 The server is overloaded`;
  const busy = { rows: (i: number) => inBox(`${turning(i)} Working…`), for: 3 };
  const retries = { rows: (i: number) => inBox(`${tried}\n\n${turning(i)} Working…`), for: 6 };
  expect(shown(busy, retries).state).toBe("retrying");
  const after = [2, 3, 4, 6, 9].map((s) => shown(busy, retries, { rows: () => inBox(failed), for: s }).state);
  expect(after).toEqual(Array(5).fill("idle"));
});

describe("an error above a busy row", () => {
  const dump = (error: string) =>
    `${error}\n${Array.from({ length: 24 }, (_, i) => `    'x-header-${i}': 'value',`).join("\n")}\n}`;
  const under = (said: string) => (i: number) => inBox(`${said}\n\n${turning(i)} Thinking… (${i >> 2}s)`);
  it.each([
    ["limited", "✗ Rate limit reached"],
    ["retrying", "503: The server is overloaded"],
    ["retrying", "Error: 503 The server is overloaded\n\nError: 503 The server is overloaded"],
    ["retrying", "overloaded_error: The server is overloaded. Will retry automatically."],
    ["limited", dump("Attempt 2 failed with status 429. Retrying with backoff... Error: 429")],
    ["retrying", dump("Attempt 2 failed with status 500. Retrying with backoff... Error: 500")],
  ])("says that the agent is %s: %j", (state, said) => {
    expect(shown({ rows: under("hm"), for: 3 }, { rows: under(said), for: 5 }).state).toBe(state);
  });
  it.each([
    ["the last thing that was typed", "❯ overloaded"],
    ["an answer about errors", "● The server answers 503 when it is overloaded.\n  500 tests pass."],
    ["history, once the answer comes", "503: The server is overloaded\n\nHere it is: the"],
  ])("is not %s", (_, said) => {
    const rows = (i: number) => under(`${said}${i >= 8 ? " parser".repeat(i >> 2) : ""}`)(i);
    expect(shown({ rows: under("hm"), for: 3 }, { rows, for: 6 }).state).toBe("working");
  });
});

describe("a busy row of a make that was never met", () => {
  it.each([
    [
      "a ball between brackets",
      (i: number) => `(${" ".repeat(i % 5)}●${" ".repeat(4 - (i % 5))})  Thinking${".".repeat(i % 4)}`,
    ],
    ["a clock before the word", (i: number) => `⠹ (${i >> 2}s) Thinking`],
    ["growing dots", (i: number) => `⬢ Generating${".".repeat(1 + (i % 3))}  12 tokens`],
    ["a wait for the model", (i: number) => `${turning(i)} Waiting for response… ${i >> 2}s`],
  ])("with %s works at first, and spins if nothing comes", (_, row) => {
    const rows = (i: number) => `> do it\n\n${row(i)}\n\n  send q to exit | /help for commands`;
    expect(shown({ rows, for: 5 }).state).toBe("working");
    expect(shown({ rows, for: 14 }).state).toBe("spinning");
  });
});

describe("a tool that runs without a word", () => {
  it.each([
    ["● Bash(sleep 60)\n  ⎿ Running…"],
    ["Running command: sleep 60"],
    ["⏳ executing tool: bash"],
    ["[tool] bash: sleep 60"],
    ["⚙ Shell  sleep 60\n  running"],
    ["Waiting for tool response..."],
    ['> Tool: shell\n  {"command": "sleep 60"}'],
    ["● Bash sleep 60\n  └ Waiting for output"],
    ["> Shell(sleep 60)\n  ⋯ executing"],
  ])("works, whether something turns or nothing does: %j", (said) => {
    const turns = (i: number) => inBox(`${said}\n\n${turning(i)} Working… (${i >> 2}s · esc to interrupt)`);
    expect(shown({ rows: turns, for: 14 })).toMatchObject({ state: "working", context: "tool" });
    const busy = { rows: (i: number) => inBox(`${turning(i)} Thinking…`), for: 3 };
    expect(shown(busy, { rows: () => inBox(said), for: 14 })).toMatchObject({
      state: "working",
      context: "tool",
    });
  });
});

describe("a tool's call in several rows", () => {
  const turns = (said: string) => (i: number) =>
    inBox(`${said}\n\n${turning(i)} Working… (${i >> 2}s · esc to interrupt)`);
  it.each([
    ["🔧 run_shell_command\n   sleep 60"],
    ["╭ Shell ─────────────╮\n│ sleep 60           │\n╰────────────────────╯"],
    ["╭─ bash ─────────────╮\n│ $ sleep 60         │\n╰────────────────────╯"],
    ["─── shell | developer ──────────\ncommand: sleep 60"],
    ["→ Tool call: exec_command\n  cmd: sleep 60"],
    ["command\n$ sleep 60"],
    ["[bash] sleep 60"],
  ])("without a result is a tool that runs: %j", (said) => {
    expect(shown({ rows: turns(said), for: 14 })).toMatchObject({ state: "working", context: "tool" });
  });
  it.each([
    ["● Bash(npm test)\n  ⎿ 3 passed, 0 failed"],
    ["╭─ bash ─────────────╮\n│ $ npm test         │\n│ 3 passed           │\n╰────────────────────╯"],
    ["$ npm test\n3 passed\n(exit 0)"],
    ["✓ bash npm test"],
    ["Here is the command:\n  npm test"],
  ])("with one waits for the model: %j", (said) => {
    expect(shown({ rows: turns(said), for: 14 }).state).toBe("spinning");
  });
});

describe("a screen with a column at its side", () => {
  const side = ["│ Session", "│ a-model", "│ $0.01  2%", "│ Files", "│ a.ts +3", "│ Servers", "│ one", "│"];
  const gap = side.map((row) => row.replace("│", " "));
  const full = (said: string, column: readonly string[]) => {
    const rows = said.split("\n").concat(Array<string>(12).fill("")).slice(0, 12);
    const drawn = rows.map((row, y) => row.padEnd(70) + (column[y] ?? ""));
    return [...drawn, "─".repeat(90), "> Ready", "", "ctrl+p commands"].join("\n");
  };
  it.each([
    ["limited", "✗ You've reached your weekly limit. Resets Monday 9am."],
    ["login", "Error: 401 Incorrect API key provided"],
    ["waiting", "Allow bash to run npm test?\n  ● Allow\n  ○ Always allow\n  ○ Deny"],
  ])("is read without it: %s", (state, said) => {
    const at = (column: readonly string[]) =>
      shown(
        { rows: (i) => full(`do it\n\n${turning(i)} Thinking…`, column), for: 3 },
        { rows: () => full(`do it\n\n${said}`, column), for: 5 },
      ).state;
    expect([at(side), at(gap)]).toEqual([state, state]);
  });
});

describe("a dialog that is drawn over other text", () => {
  const over = (rows: readonly string[]) => {
    const width = Math.max(...rows.map((row) => row.length)) + 2;
    const frame = [
      `╭${"─".repeat(width)}╮`,
      ...rows.map((row) => `│ ${row.padEnd(width - 1)}│`),
      `╰${"─".repeat(width)}╯`,
    ];
    const text = Array<string>(18).fill(
      "the older text of the answer stands here and goes on for long ".repeat(2),
    );
    frame.forEach((row, y) => {
      const under = text[y + 5] ?? "";
      text[y + 5] = under.slice(0, 20) + row + under.slice(20 + row.length);
    });
    return [...text, "─".repeat(90), "> Ready", "", "ctrl+p commands"].join("\n");
  };
  it.each([
    [["Permission needed", "npm test", "", "  Allow (a)   Allow for session (s)   Deny (d)"]],
    [["Which colour should it be?", "› red", "  blue", "↑/↓ choose  ⏎ send  esc skip"]],
    [["Do you trust this folder?", " 1) Yes, proceed", " 2) No, exit"]],
  ])("waits for a person: %j", (rows) => {
    expect(still(over(rows))).toMatchObject({ state: "waiting" });
  });
  it("is none if the box only shows something", () => {
    expect(still(over(["Session", "12 files changed", "2 servers"])).state).not.toBe("waiting");
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

describe("an input box in which something moves", () => {
  const moving = (clock: (i: number) => string) => ({
    rows: (i: number) => `» go on\n\n──────\n${"•·"[i % 2]} \n──────\nbuild · gpt ${clock(i)}`,
    for: 8,
    screen: { cursor: { x: 2, y: 3, hidden: true }, focus: { x: 2, y: 3 }, paste: true },
  });
  it("is typed into, if nothing else moves", () => {
    expect(shown(moving(() => "")).state).toBe("idle");
  });
  it("belongs to a program at work, if a clock below it counts", () => {
    expect(shown(moving((i) => `${Math.floor(i / 4)}s`)).state).toBe("working");
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

describe("a shell's prompt after an agent", () => {
  const agent = {
    rows: () => "╭────────────╮\n│ > Ask anything │\n╰────────────╯",
    for: 3,
    screen: { paste: true },
  };
  const prompted = (row: string) => {
    const cursor = { x: row.length, y: 2, hidden: false };
    return shown(agent, { rows: () => `Bye.\n\n${row}`, for: 4, screen: { cursor } }).state;
  };
  it.each([
    ["proj $ "],
    ["(main) proj % "],
    ["dev ~/proj (main) $ "],
    ["[12:31:02] dev:proj $ "],
    ["PS /home/dev/proj> "],
    ["╰─$ "],
    ["[~/proj]$ "],
  ])("is its end: %j", (row) => expect(prompted(row)).toBe("exited"));
  it.each([["( O)> "], ["agent > "], ["You: "], ["progress 45 % "], ["It costs 3 $ "]])(
    "is none if it is a program's own: %j",
    (row) => expect(prompted(row)).not.toBe("exited"),
  );
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
    ["● I am looking.\n  Options:\n  1. Yes, keep it\n  2. No, drop it"],
    ["● I looked:\n  ✓ added retry in 5s to client\n  - retry logic: attempt 2 of 5 waits 8 s"],
    ["● It is fixed:\n  Fixed: 401 Unauthorized when the token expired"],
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
