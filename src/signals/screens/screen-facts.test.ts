import { describe, expect, it } from "vitest";
import type { Observation } from "../../core/liveness/observation.ts";
import type { Front } from "../../core/screen/machine.ts";
import { blankScreen } from "../../core/screen/screen.ts";
import { loadPacks } from "./packs.ts";
import { type ScreenFacts, screenFacts } from "./screen-facts.ts";
import { openScreens } from "./screens.ts";

const settings = { signal: "tmux", screens: openScreens(loadPacks(), "UTC") } as const;
const T = Date.UTC(2026, 2, 29, 1);

const box = "──────────────\n❯ \n──────────────";
const busy = `> fix the test\n⠋ Pondering… (esc to interrupt)\n${box}\n  footer`;
const dialog = "Run this command?\n  npm test\n❯ 1. Yes\n  2. No, and say why (esc)";
const limited = `> go\n■ You’ve hit your usage limit. Try again at 8:58 PM.\n${box}\n  ? for shortcuts`;
const shell = "⠋ Pondering… (esc to interrupt)\n────────\n❯ Killed\ndev@rec:proj$ ";

/** Shows a screen that was written at `writtenAt` and is looked at `t` seconds after the start. */
function show(
  facts: ScreenFacts,
  text: string,
  t: number,
  more: { bytes?: number; writtenAt?: number; fresh?: boolean } = {},
) {
  const rows = text.split("\n");
  const inBox = text.includes(box);
  const cursor = inBox
    ? { x: 2, y: rows.indexOf("❯ "), hidden: true }
    : { x: (rows.at(-1) ?? "").length, y: rows.length - 1, hidden: false };
  const screen = { ...blankScreen(), rows, cursor, paste: inBox || text === shell };
  const { bytes = 50, writtenAt, fresh = false } = more;
  const written = writtenAt === undefined ? {} : { writtenAt: T + writtenAt * 1000 };
  return facts.read({ t: T + t * 1000, screen, bytes, scrolled: 0, ...written }, fresh);
}
const says = (facts: readonly Observation[]) =>
  facts.map((fact) => (fact.kind === "reading" ? fact.reading : fact.kind));

describe("what a screen says becomes a fact", () => {
  it("at once while it works, and not again while nothing changes", async () => {
    const facts = screenFacts(settings);
    expect(says(await show(facts, busy, 0))).toEqual(["working"]);
    expect(await show(facts, busy, 1, { bytes: 0 })).toEqual([]);
    expect(facts.context()).toBe("model");
  });
  it("in the name of the signal that showed it", async () => {
    expect(await show(screenFacts(settings), busy, 0)).toMatchObject([{ signal: "tmux", at: T, seenAt: T }]);
  });
  it.each([
    ["a permission prompt", dialog, "waiting"],
    ["a usage limit", limited, "limited"],
  ])("%s only after two readings in agreement", async (_, text, reading) => {
    const facts = screenFacts(settings);
    await show(facts, busy, 0);
    expect(await show(facts, text, 10, { writtenAt: 5 })).toEqual([]);
    expect(facts.doubts()).toBe(true);
    const said = await show(facts, text, 20, { bytes: 0 });
    expect(said).toMatchObject([{ reading, at: T + 5000, seenAt: T + 20_000 }]);
    expect(facts.doubts()).toBe(false);
  });
  it("not if the second look disagrees", async () => {
    const facts = screenFacts(settings);
    await show(facts, busy, 0);
    await show(facts, dialog, 10);
    expect(says(await show(facts, busy, 11))).not.toContain("waiting");
    expect(await show(facts, dialog, 12)).toEqual([]);
  });
  it("with what it waits for and when a limit ends", async () => {
    const facts = screenFacts(settings);
    await show(facts, dialog, 0);
    expect(await show(facts, dialog, 1)).toMatchObject([{ detail: "permission" }]);
    await show(facts, limited, 10, { writtenAt: 5 });
    expect(await show(facts, limited, 20, { bytes: 0 })).toMatchObject([
      { resetAt: Date.UTC(2026, 2, 29, 20, 58) },
    ]);
  });
  it("with the last progress, which a spinner is not", async () => {
    const facts = screenFacts(settings);
    await show(facts, busy, 0);
    expect(await show(facts, busy, 10)).toMatchObject([{ reading: "spinning", progressAt: T }]);
  });
  it("as gone, dated at its last byte, when a shell's prompt is back; and as present when it returns", async () => {
    const facts = screenFacts(settings);
    await show(facts, busy, 0);
    expect(await show(facts, shell, 10, { writtenAt: 4 })).toEqual([
      {
        ...{ kind: "gone", signal: "tmux", at: T + 4000, seenAt: T + 10_000, clean: false, shell: "crash" },
        exit: "its shell prompt is back, below a crash message",
      },
    ]);
    expect(await show(facts, shell, 20, { bytes: 0 })).toEqual([]);
    expect(says(await show(facts, busy, 30))).toEqual(["present", "working"]);
  });
  it("as gone when two looks find its shell in front, and cleanly if it was idle", async () => {
    const facts = screenFacts(settings);
    const look = (t: number, front: Front) =>
      facts.read({
        ...{ t: T + t * 1000, bytes: t === 0 ? 1 : 0, scrolled: 0, machine: { front, program: "x" } },
        screen: { ...blankScreen(), rows: [">>> "], cursor: { x: 4, y: 0, hidden: false } },
      });
    expect(says(await look(0, "program"))).toEqual(["idle"]);
    expect(await look(1, "shell")).toEqual([]);
    expect(await look(2, "program")).toEqual([]);
    expect(await look(3, "shell")).toEqual([]);
    expect(await look(4, "shell")).toMatchObject([
      { kind: "gone", clean: true, shell: "calm", exit: "its shell prompt is back" },
    ]);
  });
  it.each([
    ["count, if they come a moment after its shell", 4, 4, ["gone"]],
    ["count, if they came a moment after its shell and are read much later", 4, 30, ["gone"]],
    ["do not, if they come later: a person works in that shell", 30, 30, []],
  ])("the words of a crash %s", async (_, written, later, expected) => {
    const facts = screenFacts(settings);
    const look = (t: number, front: Front, ...rows: string[]) =>
      facts.read({
        ...{ t: T + t * 1000, bytes: 1, scrolled: 0, machine: { front, program: "x" } },
        writtenAt: T + Math.min(t, 2 + written) * 1000,
        screen: { ...blankScreen(), rows, cursor: { x: 2, y: rows.length - 1, hidden: false } },
      });
    await look(0, "program", ">>> ");
    await look(1, "shell", ">>> ");
    expect(await look(2, "shell", ">>> ")).toMatchObject([{ kind: "gone", clean: true }]);
    const crash = ["Error: lost", "    at main (index.js:1:1)", "", "Node.js v20.20.2", "dev@rec:proj$ "];
    const said = await look(2 + later, "shell", ...crash);
    expect(says(said)).toEqual(expected);
    for (const one of said) expect(one).toMatchObject({ clean: false });
  });
  it("again on demand, with the time of the look", async () => {
    const facts = screenFacts(settings);
    expect(facts.again(T)).toEqual([]);
    await show(facts, busy, 0);
    expect(facts.again(T + 5000)).toMatchObject([{ reading: "working", at: T, seenAt: T + 5000 }]);
  });
});

describe("the memory of a screen", () => {
  it("goes on with a doubt after a restart", async () => {
    const before = screenFacts(settings);
    await show(before, busy, 0);
    await show(before, dialog, 10, { writtenAt: 5 });
    const after = screenFacts(settings, JSON.parse(JSON.stringify(before.memory())));
    expect(await show(after, dialog, 20, { bytes: 0 })).toMatchObject([{ reading: "waiting", at: T + 5000 }]);
  });
  it.each([
    ["is over after a restart is not said again", dialog, ["waiting"]],
    ["seemed to be over is said again by the next look", limited, ["limited"]],
  ])("what %s", async (_, later, expected) => {
    const before = screenFacts(settings);
    await show(before, limited, 0);
    expect(says(await show(before, limited, 1, { bytes: 0 }))).toEqual(["limited"]);
    const after = screenFacts(settings, JSON.parse(JSON.stringify(before.memory())));
    expect(await show(after, dialog, 60, { fresh: true })).toEqual([]);
    expect(says(await show(after, later, 61))).toEqual(expected);
  });
  it("is not shared with the reader that it came from", async () => {
    const before = screenFacts(settings);
    await show(before, busy, 0);
    const after = screenFacts(settings, before.memory());
    await show(after, shell, 10, { writtenAt: 4 });
    expect(before.reading()).toBe("working");
  });
  it.each([
    [null],
    ["x"],
    [{ reader: 7 }],
    [{ told: { state: "sleeping" } }],
    [
      {
        reader: {
          ...{ t: 1, writtenAt: 1, activeSince: 1, toolAt: 1, signs: true, agent: true, worn: [] },
          facts: { hits: [{ says: "busy", row: "x" }] },
          progress: { novelAt: 0, saidAt: 0, lines: [{}] },
        },
      },
    ],
  ])("that is none is forgotten: %j", async (rubbish) => {
    expect(says(await show(screenFacts(settings, rubbish), busy, 0))).toEqual(["working"]);
  });
});
