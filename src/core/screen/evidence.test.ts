import { describe, expect, it } from "vitest";
import { loadPacks } from "../../signals/screens/packs.ts";
import type { Machine } from "./machine.ts";
import { read } from "./read.ts";
import type { ScreenReading } from "./reading.ts";
import { blankScreen, type Frame, type Screen } from "./screen.ts";
import type { ReaderState } from "./state.ts";

const packs = loadPacks();
const T = 1_000_000;
const program = { front: "program", program: "agent" } as const;

interface Step {
  /** Rows at the i-th second of the step. */
  readonly rows: (i: number) => string;
  readonly for: number;
  readonly machine?: (t: number) => Partial<Machine>;
  readonly screen?: Partial<Screen>;
}

/** Shows screens once a second; the last reading counts. */
function shown(...steps: readonly Step[]): ScreenReading {
  let state: ReaderState | undefined;
  let reading: ScreenReading | undefined;
  let t = T;
  let before = "";
  for (const step of steps) {
    for (let i = 0; i < step.for; i += 1) {
      const text = step.rows(i);
      const rows = text.split("\n");
      const screen = {
        ...blankScreen(),
        rows,
        cursor: { x: 0, y: rows.length, hidden: true },
        ...step.screen,
      };
      const machine = step.machine && { ...program, ...step.machine(t) };
      const frame: Frame = {
        t,
        screen,
        bytes: text === before ? 0 : 9,
        scrolled: 0,
        ...(machine && { machine }),
      };
      ({ state, reading } = read(state, frame, packs, { zone: "UTC" }));
      before = text;
      t += 1000;
    }
  }
  if (reading === undefined) throw new Error("nothing was shown");
  return reading;
}

const box = (above: string) => `${above}\n──────\n> \n──────\n? for shortcuts`;
const inBox = (above: string): Partial<Screen> => ({ focus: { x: 2, y: above.split("\n").length + 1 } });
const idle: Step = { rows: () => box("● Done."), for: 4, screen: inBox("a") };
const spinner = (i: number) => box(`❯ go on\n${"⠋⠙⠹⠸"[i % 4]} Thinking...`);
const busy = (seconds: number, machine?: Step["machine"]): Step => ({
  ...{ rows: spinner, for: seconds, screen: inBox("a\nb") },
  ...(machine && { machine }),
});

describe("a question that was answered", () => {
  const menu: Step = { rows: () => "1. staging\n2. production\nEnter a number to choose: 2\nGOT 2", for: 5 };
  const reads = (isRead: boolean) => () => ({ terminal: { canonical: true, echo: true, isRead } });
  it("waits for nobody if no program reads the terminal", () => {
    expect(shown({ ...menu, machine: reads(true) }).state).toBe("waiting");
    expect(shown({ ...menu, machine: reads(false) }).state).not.toBe("waiting");
  });
});

describe("a busy sign below the input box, while nothing moves", () => {
  const still = (above: string, footer: string, seconds = 20): Step => ({
    ...{ rows: () => `${above}\n──────\n> \n──────\n${footer}`, for: seconds },
  });
  const rest = still("● Done.", "? for shortcuts", 6);
  const sign = "? for shortcuts · esc to interrupt";

  it("says that the agent is busy, if it came with a turn and was not there before", () => {
    expect(shown(rest, still("● Done.\n❯ go on\n● Some words", sign, 8)).state).toBe("working");
    expect(shown(rest, still("● Done.\n❯ go on\n● Some words", sign)).state).toBe("spinning");
  });

  it("is a hint about keys if it was always there, or came without a turn", () => {
    expect(shown(still("● Done.", sign), still("● Done.\n❯ go on\n● Some words", sign)).state).toBe("idle");
    expect(shown(rest, still("● Done.", sign)).state).toBe("idle");
  });
});

describe("a screen that only turns", () => {
  it("works at first, and is spinning after 9 s, whether the model thinks or hangs", () => {
    expect(shown(idle, busy(9)).state).toBe("working");
    expect(shown(idle, busy(12)).state).toBe("spinning");
  });

  it("is spinning if it had begun to speak", () => {
    const speaks = (i: number) => box(`❯ go on\n● ${"word ".repeat(i + 1)}\n${"⠋⠙⠹⠸"[i % 4]} Thinking...`);
    const stops: Step = { rows: (i) => speaks(5).replace("⠙", "⠋⠙⠹⠸"[i % 4] ?? ""), for: 12 };
    expect(shown(idle, { rows: speaks, for: 6 }, stops).state).toBe("spinning");
  });

  it("tries again without a word if its status bar has counted an error in this turn", () => {
    const counting = (errors: (i: number) => number): Step => ({
      ...busy(20),
      rows: (i) => `${spinner(i)} · ✖ ${errors(i)} errors (ctrl+o for details)`,
    });
    const rises = shown(
      idle,
      counting((i) => (i < 6 ? 2 : 3)),
    );
    expect(rises).toMatchObject({ state: "retrying", rule: "reader/errors-counted" });
    expect(
      shown(
        { ...counting(() => 2), for: 4 },
        idle,
        counting(() => 2),
      ).state,
    ).toBe("spinning");
  });

  it("does not try again once it says something after the error", () => {
    const answer = (i: number) => `● ${"word ".repeat(i)}
${spinner(i)} · ✖ 3 errors`;
    const fails: Step = { ...busy(6), rows: (i) => `${spinner(i)} · ✖ 3 errors` };
    expect(shown(idle, fails).state).toBe("retrying");
    expect(shown(idle, fails, { ...busy(6), rows: answer }).state).toBe("working");
  });

  it("works while bytes come in, as the keep-alives of a model that thinks", () => {
    const wire = (t: number) => ({ wire: { open: 1, sentAt: T, receivedAt: t - 4000 } });
    expect(shown(idle, busy(20, wire))).toMatchObject({ state: "working", rule: "machine/wire" });
  });

  it("is spinning if the request is out and nothing came back", () => {
    const wire = () => ({ wire: { open: 1, sentAt: T + 4000 } });
    expect(shown(idle, busy(20, wire)).state).toBe("spinning");
  });

  it("runs a tool if a process started after the turn began", () => {
    const young = () => ({ children: [{ name: "make", since: T + 6000 }] });
    expect(shown(idle, busy(20, young))).toMatchObject({
      ...{ state: "working", rule: "machine/child", context: "tool" },
    });
    const old = () => ({ children: [{ name: "mcp-server", since: T - 60_000 }] });
    expect(shown(idle, busy(20, old)).state).toBe("spinning");
    const awake = () => ({ children: [{ name: "systemd-inhibit", since: T + 6000 }] });
    expect(shown(idle, busy(20, awake)).state).toBe("spinning");
  });

  it("is spinning if it only starts short helpers again and again, and these are no progress", () => {
    const helpers = (t: number) => (t % 7000 < 1000 ? {} : { children: [{ name: "sleep", since: t - 150 }] });
    const reading = shown(idle, busy(40, helpers));
    expect(reading.state).toBe("spinning");
    expect(reading.progressAt).toBeLessThan(T + 6000);
  });

  it("made progress when a tool ended, also while the next one runs", () => {
    const first = () => ({ children: [{ name: "make", since: T + 6000 }] });
    const second = () => ({ children: [{ name: "test", since: T + 34_000 }] });
    expect(shown(idle, busy(20, first)).progressAt).toBeLessThan(T + 6000);
    const reading = shown(idle, busy(30, first), busy(3), busy(30, second));
    expect(reading).toMatchObject({ state: "working", context: "tool" });
    expect(reading.progressAt).toBeGreaterThan(T + 30_000);
  });

  it("retries if its request was answered at once and no other is out", () => {
    const answered = () => ({ wire: { open: 1, sentAt: T + 4500, receivedAt: T + 4600 } });
    const gone = () => ({ wire: { open: 0 } });
    expect(shown(idle, busy(6, answered), busy(30, gone))).toMatchObject({
      ...{ state: "retrying", rule: "machine/no-request" },
    });
  });

  it("is hung if a connection that always carried something carries nothing for long", () => {
    const fed = (t: number) => ({ wire: { open: 1, sentAt: T, receivedAt: t - 500 } });
    const silent = () => ({ wire: { open: 1, sentAt: T, receivedAt: T + 14_000 } });
    expect(shown(idle, busy(10, fed), busy(30, silent))).not.toHaveProperty("hungSince");
    expect(shown(idle, busy(10, fed), busy(45, silent))).toMatchObject({
      ...{ state: "spinning", hungSince: T + 14_000 },
    });
    // A request over a new connection, and no answer at all: an answer may take longer to begin than to go on.
    const asked = () => ({ wire: { open: 1, sentAt: T + 14_000 } });
    expect(shown(idle, busy(10, fed), busy(45, asked))).not.toHaveProperty("hungSince");
    expect(shown(idle, busy(10, fed), busy(60, asked))).toMatchObject({ hungSince: T + 14_000 });
    // It has been silent for as long before, and went on.
    const again = (t: number) => ({ wire: { open: 1, sentAt: T, receivedAt: t - (t % 50_000) } });
    expect(shown(idle, busy(10, fed), busy(100, again), busy(45, silent))).not.toHaveProperty("hungSince");
  });
});

describe("the text focus", () => {
  const menu = "Where to?\n  north\n  south";
  const lost: Step = { rows: () => menu, for: 5, screen: { focus: null } };

  it("that is lost is a dialog of whatever make, if it stays while the program works", () => {
    expect(shown(idle, busy(6), lost)).toMatchObject({ state: "waiting", rule: "reader/no-focus" });
  });

  it("that is lost says nothing in a program that loses it whenever it works", () => {
    const unfocused = { ...busy(6), screen: { focus: null } };
    expect(shown(idle, busy(6), unfocused, lost).state).not.toBe("waiting");
    expect(shown(idle, lost).state).not.toBe("waiting");
  });

  it("in the input box says that what reads like a question is text", () => {
    const text =
      "● The dialog then asks: do you want to proceed?\n❯ 1. Yes\n  2. No\nEnter to select · Esc to cancel";
    const asked = (focus: Screen["focus"], typed = "") => ({
      rows: () => box(text).replace("> ", `> ${typed}`),
      for: 5,
      screen: { focus: focus ?? null },
    });
    expect(shown(idle, asked(null)).state).toBe("waiting");
    expect(shown(idle, asked({ x: 2, y: 5 })).state).not.toBe("waiting");
    expect(shown(idle, asked(null), idle, asked({ x: 7, y: 5 }, "hello")).state).not.toBe("waiting");
    // Something is typed where the focus is, and of this program it is not known that its dialogs take the focus.
    expect(shown(idle, asked({ x: 7, y: 5 }, "hello")).state).toBe("waiting");
  });
});

describe("a plain program that takes whole lines", () => {
  const plain = { cursor: { x: 6, y: 0, hidden: false }, focus: { x: 6, y: 0 } };
  const reads = (isRead: boolean | undefined, echo = true): Step => ({
    ...{ rows: () => "name? ", for: 5, screen: plain },
    machine: () => ({ terminal: { canonical: true, echo, ...(isRead !== undefined && { isRead }) } }),
  });

  it("waits if it reads, whatever its screen says", () => {
    const silent = { ...reads(true), rows: () => "ready " };
    expect(shown(silent)).toMatchObject({ state: "waiting", rule: "machine/reads", kind: "input" });
    expect(shown({ ...reads(true, false), rows: () => "ready " })).toMatchObject({ kind: "password" });
  });

  it("is a pager or an editor by its name, if it fills the screen", () => {
    const cursor = { x: 9, y: 5, hidden: false };
    const full = (name: string): Step => ({
      ...{ rows: () => "# A text\n\nwith words\n\nand more\nREADME.md", for: 5 },
      screen: { alternate: true, cursor },
      machine: () => ({ program: name }),
    });
    expect(shown(full("less"))).toMatchObject({ state: "waiting", kind: "pager" });
    expect(shown(full("nano"))).toMatchObject({ state: "waiting", kind: "editor" });
    expect(shown(full("own-tool"))).not.toHaveProperty("kind");
  });

  it("works if nobody reads, although its last line looks like a question", () => {
    expect(shown(reads(false)).state).not.toBe("waiting");
    expect(shown(reads(undefined)).state).toBe("waiting");
  });
});
