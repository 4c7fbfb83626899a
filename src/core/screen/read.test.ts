import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadPacks } from "../../signals/screens/packs.ts";
import { read } from "./read.ts";
import type { ScreenReading } from "./reading.ts";
import { blankScreen, type Frame, type Screen } from "./screen.ts";
import type { ReaderState } from "./state.ts";

const packs = loadPacks();
const options = { zone: "UTC" };

type Step = { for: number; rows: (i: number) => string; screen?: Partial<Screen>; silent?: boolean };

/** Plays steps at four frames a second; the cursor stands after the last row unless the step says otherwise. */
function play(...steps: Step[]): ScreenReading[] {
  const readings: ScreenReading[] = [];
  let state: ReaderState | undefined;
  let t = 0;
  for (const step of steps) {
    for (let i = 0; i < step.for * 4; i += 1) {
      const rows = step.rows(i).split("\n");
      const cursor = { x: (rows.at(-1) ?? "").length, y: rows.length - 1, hidden: false };
      const screen = { ...blankScreen(), rows, cursor, ...step.screen };
      const frame: Frame = { t, screen, bytes: step.silent && i > 0 ? 0 : 50, scrolled: 0 };
      // The state is stored and read back each time, as over a restart.
      const done = read(state, frame, packs, options);
      state = JSON.parse(JSON.stringify(done.state));
      readings.push(done.reading);
      t += 250;
    }
  }
  return readings;
}

const last = (...steps: Step[]) => play(...steps).at(-1);
const box = "──────────────\n❯ \n──────────────";
const inBox = { cursor: { x: 2, y: 3, hidden: true }, paste: true };
const spin = (i: number) => "⠋⠙⠹⠸".charAt(i % 4);

const busy = (seconds: number): Step => ({
  for: seconds,
  rows: (i) =>
    `> fix the test\n${spin(i)} Pondering… (${Math.floor(i / 4)}s · esc to interrupt)\n${box}\n  footer`,
  screen: inBox,
});

describe("an agent that was never met before", () => {
  it("works while its spinner has just started", () => {
    expect(last(busy(4))).toMatchObject({ state: "working", context: "model" });
  });
  it("rests while somebody types behind a plain prompt, and works when the line was entered", () => {
    const rests: Step = { for: 4, rows: () => "Agent loaded\n> hello\nhello\n> ", silent: true };
    const typed = (line: string): Step => ({
      for: 3,
      rows: (i) => `Agent loaded\n> hello\nhello\n> ${line.slice(0, i + 1)}`,
    });
    expect(last(rests, typed("stream"))?.state).toBe("idle");
    expect(last(rests, typed("stream"), { ...typed("stream"), silent: true })?.state).toBe("idle");
    const entered: Step = { for: 4, rows: () => "Agent loaded\n> hello\nhello\n> stream\n", silent: true };
    expect(last(rests, typed("stream"), entered)?.state).toBe("working");
  });
  it("spins when nothing but the spinner has moved for a while", () => {
    expect(last(busy(12))).toMatchObject({ state: "spinning", rule: "reader/spinning", progressAt: 0 });
  });
  it("works as long as text is added", () => {
    const words = (i: number) =>
      Array.from({ length: i }, (_, n) => `w${"x".repeat(n % 7)}${n % 8 === 7 ? "\n" : " "}`).join("");
    const rows = (i: number) => `● ${words(i)}\n${spin(i)} Pondering… (esc to interrupt)\n${box}\n  footer`;
    expect(last({ for: 20, rows, screen: inBox })?.state).toBe("working");
  });
  it("works as long as its counter of tokens moves", () => {
    const rows = (i: number) =>
      `> go\n${spin(i)} Pondering… (↓ ${i} tokens · esc to interrupt)\n${box}\n  footer`;
    expect(last({ for: 20, rows, screen: inBox })?.state).toBe("working");
  });
  it("works while the screen names a tool that runs, however silent it is", () => {
    const rows = (i: number) =>
      `● Bash(make)\n  ⎿  Running… (${i}s)\n${spin(i)} Pondering… (esc to interrupt)`;
    expect(last({ for: 40, rows })).toMatchObject({ state: "working", context: "tool" });
  });
  it.each([
    ["the call of a tool that nothing follows yet", "● Bash(make all)"],
    ["a call that turns by itself", "⠙ run_commands(make all)"],
    ["the command that it runs", "$ make all"],
    ["that a tool has no result yet", "● Bash\n  ⎿ Executing..."],
  ])("works while the last word above its busy line is %s", (_, call) => {
    const rows = (i: number) =>
      `> go\n● I will build it.\n${call}\n\n${spin(i)} Pondering… (esc to interrupt)\n${box}`;
    expect(last({ for: 40, rows })).toMatchObject({ state: "working", context: "tool" });
  });
  it("spins when the call has its result and nothing more comes", () => {
    const rows = (i: number) =>
      `● Bash(make all)\n  ⎿ built\n${spin(i)} Pondering… (esc to interrupt)\n${box}`;
    expect(last({ for: 40, rows })?.state).toBe("spinning");
  });
  it("spins when it talks about a call and nothing more comes", () => {
    const rows = (i: number) =>
      `● It all begins in main(args)\n${spin(i)} Pondering… (esc to interrupt)\n${box}`;
    expect(last({ for: 40, rows })?.state).toBe("spinning");
  });
  it("works while a tool's clock ticks above the box and the busy line stands under it", () => {
    const rows = (i: number) =>
      `> go\nShell make   ${Math.floor(i / 4)}s\n  make all\n${box}\n ${spin(i)} Working · esc to interrupt`;
    expect(last({ for: 30, rows })).toMatchObject({ state: "working", context: "tool" });
  });
  it("wants a sign-in when an error with a status was its last word, whatever its box looks like", () => {
    const rows = () =>
      "● go\nError: 401 Incorrect API key provided\n╭──────╮\n│ ● ▋Ask anything │\n╰──────╯\n  ~/proj";
    const screen = { cursor: { x: 0, y: 6, hidden: true }, paste: true };
    expect(last({ for: 5, rows, screen, silent: true })?.state).toBe("login");
  });
  it("has some time to think after a long tool", () => {
    const tool = (i: number) =>
      `> fix the test\n  ⎿  Running… (${i}s)\n${spin(i)} Pondering… (esc to interrupt)\n${box}`;
    expect(last({ for: 30, rows: tool }, busy(4))?.state).toBe("working");
  });
  it("works while something above its busy line has a clock of its own", () => {
    const rows = (i: number) => `$ make\nElapsed ${i}.0s\n${spin(i)} Pondering… (esc to interrupt)\n${box}`;
    expect(last({ for: 20, rows })).toMatchObject({ state: "working", context: "tool" });
  });
  it("waits at a dialog, even while something turns", () => {
    const rows = (i: number) =>
      `Run this command?\n  npm test\n❯ 1. Yes\n  2. No, and say why (esc)\n${spin(i)} Waiting for approval...`;
    expect(last({ for: 6, rows })).toMatchObject({ state: "waiting", kind: "permission" });
  });
  it("is idle when it falls silent at its input box", () => {
    const rows = () => `● All done.\n\n${box}\n  ? for shortcuts`;
    expect(last(busy(3), { for: 2, rows, screen: inBox, silent: true })?.state).toBe("idle");
  });
  it("is limited when that is its last word, and says until when", () => {
    const rows = () =>
      `> go\n■ You’ve hit your usage limit. Try again at 8:58 PM.\n${box}\n  ? for shortcuts`;
    const reading = last({ for: 3, rows, screen: inBox, silent: true });
    expect(reading).toMatchObject({ state: "limited", resetAt: Date.UTC(1970, 0, 1, 20, 58) });
  });
  it("is not limited because it talks about limits", () => {
    const text = "● The client says that you've hit your usage limit, or 429 when a rate limit is reached.";
    expect(last({ for: 3, rows: () => `${text}\n${box}\n  ?`, screen: inBox, silent: true })?.state).toBe(
      "idle",
    );
  });
  it("is retrying between two announced attempts too", () => {
    const retry = (i: number) =>
      `> fix the test\n${spin(i)} Server overloaded · Retrying in 3s · attempt 2/10\n${box}\n  f`;
    const readings = play({ for: 3, rows: retry, screen: inBox }, busy(6));
    expect(new Set(readings.slice(8).map(({ state }) => state))).toEqual(new Set(["retrying"]));
  });
  it("is limited when it turns below that error and says nothing more", () => {
    const rows = (i: number) => `> go\nError: 429 Too Many Requests\n${spin(i)} Working...\n${box}\n  footer`;
    expect(last({ for: 15, rows, screen: { ...inBox, cursor: { x: 2, y: 4, hidden: true } } })?.state).toBe(
      "limited",
    );
  });
  it("is no longer retrying when it goes on below an old announcement", () => {
    const words = (i: number) => Array.from({ length: i }, (_, n) => `w${"x".repeat(n % 7)} `).join("");
    const retry = { for: 3, rows: () => "> go\nRetrying in 0.2 seconds...\n" };
    const readings = play(retry, {
      for: 6,
      rows: (i) => `> go\nRetrying in 0.2 seconds...\nNow ${words(i)}\n`,
    });
    expect([readings[8]?.state, readings.at(-1)?.state]).toEqual(["retrying", "working"]);
  });
  it("has exited when a shell's prompt stands at the cursor of its old frame", () => {
    const frame = "⠋ Pondering… (esc to interrupt)\n────────\n❯ Killed\ndev@rec:proj$ ───";
    const screen = { cursor: { x: 14, y: 3, hidden: true }, paste: true };
    expect(last(busy(5), { for: 2, rows: () => frame, screen, silent: true })?.state).toBe("exited");
  });
});

describe("a plain program", () => {
  it("that runs without a word works", () => {
    const step = { for: 30, rows: () => "dev@rec:proj$ sleep 60\n", silent: true };
    expect(last(step)).toMatchObject({ state: "working", context: "tool" });
  });
  it("that says the same again and again loops", () => {
    const rows = (i: number) => `${"Error: connect ECONNREFUSED\n".repeat(1 + Math.floor(i / 4))}`;
    expect(last({ for: 15, rows })?.state).toBe("looping");
  });
  it("that said much alike, and then nothing, is at work", () => {
    const rows = (i: number) => "GET /items 200 113 rows\n".repeat(1 + Math.floor(i / 4));
    const said = { for: 7, rows };
    expect(last(said, { for: 20, rows: () => rows(27), silent: true })?.state).toBe("working");
  });
  it("that names the step it is at beside its spinner is at work", () => {
    const steps = ["Copying files", "Writing the configuration", "Linking packages", "Cleaning up"];
    const rows = (i: number) => `${spin(i)} ${steps[Math.floor(i / 20)]}...`;
    expect(last({ for: 20, rows })?.state).toBe("working");
  });
  it("that draws the same screen again and again has nothing to do", () => {
    const frame = { rows: () => "menu  10:42\n\nready", screen: { alternate: true, paste: true } };
    expect(last({ for: 5, ...frame })?.state).toBe("idle");
  });
  it("that writes the same row over and over spins", () => {
    const rows = () => "big   30%[=====>              ]  1.14M  --.-KB/s    eta 18s";
    expect(last({ for: 12, rows })?.state).toBe("spinning");
  });
  it("that counts to an end does not loop", () => {
    const rows = (i: number) =>
      Array.from({ length: i + 1 }, (_, n) => `[${n + 1}/80] compiling m_${n}.c`).join("\n");
    expect(last({ for: 15, rows })?.state).toBe("working");
  });
  it("that ended well leaves an idle shell", () => {
    expect(last({ for: 2, rows: () => "done\ndev@rec:proj$ ", silent: true })?.state).toBe("idle");
  });
  it("that printed an agent's words leaves an idle shell too", () => {
    const cat = { for: 2, rows: () => "Claude Code v2.1.197\n  ? for shortcuts\n", silent: true };
    const prompt = {
      for: 2,
      rows: () => "  ? for shortcuts\ndev@rec:proj$ ",
      screen: { paste: true },
      silent: true,
    };
    expect(last(cat, prompt)?.state).toBe("idle");
  });
  it("that died leaves a trace above the prompt", () => {
    const trace = "Traceback (most recent call last):\nMemoryError\ndev@rec:proj$ ";
    expect(last({ for: 2, rows: () => trace, silent: true })).toMatchObject({
      state: "exited",
      rule: "generic/traceback",
    });
  });
});

describe("frames ten seconds apart", () => {
  const rows = [
    "> fix the test",
    "⠋ Pondering… (esc to interrupt)",
    "────────",
    "❯ ",
    "────────",
    "  footer",
  ];
  const busyScreen = { ...blankScreen(), rows, cursor: { x: 2, y: 3, hidden: true }, paste: true };
  const idleScreen = { ...busyScreen, rows: ["● Done.", "", ...rows.slice(2)] };
  const watch = (...frames: Omit<Frame, "scrolled">[]) =>
    frames.reduce<{ state?: ReaderState; reading?: ScreenReading }>(
      (before, frame) => read(before.state, { ...frame, scrolled: 0 }, packs, options),
      {},
    ).reading?.state;

  it("show that nothing new was said", () => {
    const frame = (t: number) => ({ t, screen: busyScreen, bytes: 4000 });
    expect(watch(frame(0))).toBe("working");
    expect(watch(frame(0), frame(10_000), frame(20_000))).toBe("spinning");
  });
  it("show that nothing is drawn if they look the same for the third time", () => {
    const frame = (t: number) => ({
      t,
      screen: { ...idleScreen, cursor: { x: 0, y: 0, hidden: true } },
      bytes: 4000,
    });
    expect(watch(frame(0), frame(10_000))).toBe("working");
    expect(watch(frame(0), frame(10_000), frame(20_000))).toBe("idle");
  });
  it("show that a turn ended in between, by the time of the last byte", () => {
    const ended = { t: 10_000, screen: idleScreen, bytes: 4000, writtenAt: 4000 };
    expect(watch({ t: 0, screen: busyScreen, bytes: 4000 }, ended)).toBe("idle");
  });
});

it("an unchanged screen is not matched again", () => {
  const frame: Frame = { t: 0, screen: { ...blankScreen(), rows: ["x"] }, bytes: 1, scrolled: 0 };
  const first = read(undefined, frame, packs, options);
  const none = { clients: [], generic: [] };
  expect(read(first.state, { ...frame, t: 250, bytes: 0 }, none, options).state.facts).toBe(
    first.state.facts,
  );
});

it("no screen makes the reader throw, and its memory stays small", () => {
  const row = fc.oneof(
    fc.string({ maxLength: 130 }),
    fc.constantFrom("❯ 1. Yes", "esc to interrupt", "$ ", "⠋ a…", "│"),
  );
  const screen = fc.record({
    rows: fc.array(row, { maxLength: 60 }),
    cursor: fc.record({ x: fc.nat(130), y: fc.nat(60), hidden: fc.boolean() }),
    title: fc.string({ maxLength: 20 }),
    code: fc.string({ maxLength: 20 }),
    progress: fc.boolean(),
    alternate: fc.boolean(),
    paste: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(screen, fc.nat(3), fc.integer({ min: 0, max: 20_000 })), { maxLength: 10 }),
      (frames) => {
        let state: ReaderState | undefined;
        let t = 0;
        for (const [shown, bytes, after] of frames) {
          t += after;
          const done = read(state, { t, screen: shown, bytes, scrolled: bytes }, packs, options);
          expect(done.reading.progressAt).toBeLessThanOrEqual(t);
          state = done.state;
        }
        expect(JSON.stringify(state ?? {}).length).toBeLessThan(100_000);
        expect(JSON.parse(JSON.stringify(state ?? {}))).toEqual(state ?? {});
      },
    ),
    { numRuns: 100 },
  );
});
