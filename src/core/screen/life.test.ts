import { describe, expect, it } from "vitest";
import { loadPacks } from "../../signals/screens/packs.ts";
import type { Front } from "./machine.ts";
import { read } from "./read.ts";
import type { ScreenReading } from "./reading.ts";
import { blankScreen, type Screen } from "./screen.ts";
import type { ReaderState } from "./state.ts";

const packs = loadPacks();

/** `writtenAt`: how long before the look it was written; `after`: how long after the look before it. */
type Shown = { front?: Front; text: string; writtenAt?: number; after?: number } & Partial<
  Pick<Screen, "paste" | "cursor">
>;

/** Reads screens ten seconds apart, each written five seconds before it is looked at. */
function watch(...screens: Shown[]): ScreenReading | undefined {
  let state: ReaderState | undefined;
  let reading: ScreenReading | undefined;
  let t = -10_000;
  for (const { front, text, writtenAt = 5000, after = 10_000, ...more } of screens) {
    const rows = text.split("\n");
    const cursor = { x: (rows.at(-1) ?? "").length, y: rows.length - 1, hidden: false };
    const screen = { ...blankScreen(), rows, cursor, ...more };
    t += after;
    const machine = front === undefined ? {} : { machine: { front, program: "x" } };
    // The state is stored and read back each time, as over a restart.
    const known: ReaderState | undefined = state && JSON.parse(JSON.stringify(state));
    const done = read(
      known,
      { t, screen, bytes: 9, scrolled: 0, writtenAt: t - writtenAt, ...machine },
      packs,
      {
        zone: "UTC",
      },
    );
    ({ state, reading } = done);
  }
  return reading;
}

const box = "──────────────\n❯ \n──────────────";
const inBox = { cursor: { x: 2, y: 2, hidden: true }, paste: true };
const program = { front: "program" } as const;
const working: Shown = { ...program, text: "compiling the parser\n" };
const asking: Shown = { ...program, text: "Do you want to continue? [Y/n] " };
const idle: Shown = { ...program, text: ">>> " };
const agent: Shown = { ...program, text: `● Done.\n${box}\n  ? for shortcuts`, ...inBox };
/** Prompts that no rule knows: one of two lines, and one that looks like a question. */
const prompt = "~/app on main\nrun: ";
const back = (above: string): Shown => ({ front: "shell", text: `${above}\n${prompt}` });

describe("a shell in front after a program", () => {
  it.each([
    ["worked", working, false],
    ["asked", asking, false],
    ["was idle", idle, true],
  ])("says that one which %s has exited", (_, shown, clean) => {
    expect(watch(shown, back(shown.text))).toMatchObject({ state: "exited", end: { clean } });
  });
  it("says so whatever the screen shows, also a dialog that nobody cleared", () => {
    expect(watch(asking, { ...asking, front: "shell" })).toMatchObject({
      state: "exited",
      rule: "reader/shell-in-front",
    });
  });
  it.each([
    ["Killed"],
    ["zsh: killed     agent"],
    ["Terminated"],
    ["Segmentation fault (core dumped)"],
    ["Traceback (most recent call last):\nMemoryError"],
  ])("finds no clean end below %j", (word) => {
    expect(watch(idle, back(`>>> \n${word}`))).toMatchObject({
      state: "exited",
      end: { clean: false, crashed: true },
    });
  });
  it("finds the words of a crash that come a moment later", () => {
    expect(watch(idle, { ...idle, front: "shell" }, back(">>> \nKilled"))?.end?.clean).toBe(false);
  });
  it("says nothing before a program was seen: nobody has started it yet, or there is no job control", () => {
    expect(watch(back(""), back(""))?.state).not.toBe("exited");
    expect(watch({ ...agent, front: "shell" }, { ...agent, front: "shell" })?.state).toBe("idle");
  });
  it("says nothing of a program that had drawn nothing, as one that prepares the terminal", () => {
    expect(watch({ ...program, text: "" }, back(""))).toMatchObject({
      state: "exited",
      end: { clean: true },
    });
  });
  it("is the start of another life when a program is in front again", () => {
    expect(watch(working, back("Killed"), working)?.state).toBe("working");
    expect(watch(working, back("Killed"), idle, back(">>> "))?.end).toEqual({ clean: true, crashed: false });
  });
  it("is not asked where the machine does not tell: then the prompt is", () => {
    const shell = { text: "● Done.\ndev@rec:app$ ", paste: true };
    const { front: _, ...unasked } = agent;
    expect(watch(unasked, shell)?.end?.clean).toBe(true);
  });
});

describe("a command that a person runs where a coding agent ran", () => {
  const make = { ...program, text: "cc -c parser.c\n" };
  it("leaves the end of the agent as it was", () => {
    expect(watch(agent, back("bye"), make, back("cc -c parser.c"))?.end?.clean).toBe(true);
    expect(watch(agent, back("Killed"), make, back("cc -c parser.c"))?.end?.clean).toBe(false);
  });
});

describe("a program that was suspended", () => {
  it("waits for somebody if it was at work", () => {
    const stopped = { front: "suspended", text: `^Z\n[1]+  Stopped\n${prompt}` } as const;
    expect(watch(working, stopped)).toMatchObject({ state: "waiting", kind: "fg (it is suspended)" });
    expect(watch(idle, stopped)?.state).toBe("idle");
    expect(watch(working, stopped, back("Killed"))).toMatchObject({ state: "exited", end: { clean: false } });
  });
  it("is there while it runs in the background, below a shell's prompt", () => {
    const running = { front: "background", text: "compiling\ndev@rec:app$ " } as const;
    expect(watch(working, running)?.state).not.toBe("exited");
  });
});

it("an agent that has only drawn its first screen was not at work, also after one that was killed there", () => {
  const drawing = { ...agent, writtenAt: 0 };
  expect(watch(asking, back("Killed"), drawing, back("● Done."))).toMatchObject({
    state: "exited",
    end: { clean: true },
  });
});

it("somebody who types at the prompt of an idle program does not make it work", () => {
  const signs = { ...program, text: `⠋ Pondering… (esc to interrupt)\n${box}\n  footer`, ...inBox };
  expect(
    watch(signs, agent, { ...agent, text: agent.text.replace("❯ ", "❯ /exit") }, back("bye"))?.end,
  ).toEqual({ clean: true, crashed: false });
});

describe("an idle program that draws once more", () => {
  const drawn = { after: 400, writtenAt: 100 };
  const gone = { ...back("● Done."), ...drawn };
  it.each([
    ["in its box", { ...agent, text: `bye\n${agent.text}`, cursor: { x: 2, y: 3, hidden: true } }],
    ["below it, with the cursor of the shell", { ...program, text: `${agent.text}\n\n` }],
  ])("%s did not begin to work, if it ends in that moment", (_, shown) => {
    expect(watch(agent, agent, { ...shown, ...drawn }, gone)?.end).toEqual({ clean: true, crashed: false });
  });
  it("worked, if it went on for longer", () => {
    const longer = [1, 2, 3, 4, 5, 6].map((n) => ({ ...program, text: `${agent.text}\n${n}\n`, ...drawn }));
    expect(watch(agent, agent, ...longer, gone)?.end).toEqual({ clean: false, crashed: false });
  });
});

describe("a program that is started again in the shell in which another ended at a dialog", () => {
  const dialog = "Do you want to continue? [Y/n] ";
  const shell = "dev@host:~$ ";
  const dead: Shown = { front: "shell", text: `${dialog}\nKilled\n${shell}` };
  const started = `${dialog}\nKilled\n${shell}agent`;
  it("does not ask what the other asked", () => {
    expect(watch(asking, dead, { ...program, text: `${started}\n` })).toMatchObject({ state: "working" });
    // What was typed was on the screen before the program was in front.
    const typed: Shown = { front: "shell", text: started };
    expect(watch(asking, dead, typed, { ...program, text: started })).toMatchObject({ state: "working" });
  });
  it("does not ask it where a log shows the same, and nothing says what is in front", () => {
    const inLog = (text: string): Shown => ({ text });
    const [asked, ended] = [inLog(dialog), inLog(dead.text)];
    expect(watch(asked, ended)).toMatchObject({ state: "exited" });
    expect(watch(asked, ended, inLog(`${started}\n`))).not.toMatchObject({ state: "waiting" });
    expect(watch(asked, ended, inLog(`${started}\n${dialog}`))).toMatchObject({ state: "waiting" });
  });
  it("does not ask it where the shell had not yet drawn its prompt", () => {
    const early: Shown = { front: "shell", text: `${dialog}\nKilled\n` };
    expect(watch(asking, early, { ...program, text: `${started}\n` })).toMatchObject({ state: "working" });
  });
  it("asks when it asks the same itself", () => {
    expect(watch(asking, dead, { ...program, text: `${started}\n${dialog}` })).toMatchObject({
      state: "waiting",
    });
    expect(watch(asking, dead, { ...program, text: dialog })).toMatchObject({ state: "waiting" });
  });
});
