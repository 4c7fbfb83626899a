import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Observation } from "../../core/liveness/observation.ts";
import { signalContract } from "../../ports/signal.contract.ts";
import type { SignalReader } from "../../ports/signal.ts";
import { type Files, realFiles } from "../../system/stat-files.ts";
import { loadPacks } from "../screens/packs.ts";
import { openScreens, ScreenProblem, type Screens } from "../screens/screens.ts";
import { TerminalPool } from "../screens/terminal-pool.ts";
import { type LogSignalSettings, logSignal } from "./log.ts";
import { logSettings } from "./settings.ts";

const packs = loadPacks();
const screens = openScreens(packs, "UTC");
const T = Date.UTC(2026, 2, 29, 1);
const busy = (word: string) => `\x1b[2J\x1b[H> fix the test\r\n⠋ ${word}… (3s · esc to interrupt)\r\n`;
const dialog = "\x1b[2J\x1b[HRun this command?\r\n  npm test\r\n❯ 1. Yes\r\n  2. No, and say why (esc)\r\n";

let folder: string;
let path: string;
let now: number;
let reads: number;
let stats: number;
let readers: SignalReader[];

const counting: Files = {
  stat(file) {
    stats += 1;
    return realFiles.stat(file);
  },
  list: realFiles.list,
  read(...args) {
    reads += 1;
    return realFiles.read(...args);
  },
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rollcall log "));
  path = join(folder, "a.log");
  now = T;
  reads = 0;
  stats = 0;
  readers = [];
});
afterEach(() => {
  for (const reader of readers) reader.close();
  rmSync(folder, { recursive: true });
});

function open(more: Partial<LogSignalSettings> = {}, memory?: unknown): SignalReader {
  const place = more.folder === undefined ? { path } : {};
  const reader = logSignal({ ...place, screens, files: counting, ...more }, memory);
  readers.push(reader);
  return reader;
}

/** A round later: the log was written to just before, if it was. */
async function look(reader: SignalReader, fresh = false): Promise<readonly Observation[]> {
  return await reader.look({ now, fresh, abort: new AbortController().signal });
}

function write(text: string | Uint8Array, to = path): void {
  now += 10_000;
  appendFileSync(to, text);
  utimesSync(to, now / 1000, now / 1000);
}

const readingIn = (facts: readonly Observation[]) => facts.find((fact) => fact.kind === "reading");
const kinds = (facts: readonly Observation[]) => facts.map(({ kind }) => kind);

signalContract("the log", () => {
  const home = mkdtempSync(join(tmpdir(), "rollcall log "));
  const there = join(home, "there.log");
  writeFileSync(there, busy("Pondering"));
  utimesSync(there, Date.now() / 1000 - 5, Date.now() / 1000 - 5);
  const make = (file: string) => (memory?: unknown) => logSignal({ path: file, screens }, memory);
  return {
    make: make(there),
    absent: make(join(home, "absent.log")),
    cleanUp: () => rmSync(home, { recursive: true }),
  };
});

signalContract("a plain log", () => {
  const home = mkdtempSync(join(tmpdir(), "rollcall log "));
  writeFileSync(join(home, "there.log"), "hello\n");
  const make = (file: string) => (memory?: unknown) =>
    logSignal({ path: join(home, file), plain: true, screens }, memory);
  return {
    make: make("there.log"),
    absent: make("absent.log"),
    cleanUp: () => rmSync(home, { recursive: true }),
  };
});

describe("a log that grows", () => {
  it("is activity at the moment of its last byte, with what the screen says", async () => {
    write(busy("Pondering"));
    const reader = open();
    expect(await look(reader)).toMatchObject([
      { kind: "activity", signal: "log", at: now, seenAt: now, context: "model" },
      { kind: "reading", reading: "working", context: "model", progressAt: now },
    ]);
  });

  it("spins when only its spinner moves", async () => {
    const reader = open();
    write(busy("Pondering"));
    await look(reader);
    const began = now;
    write("\x1b[2;1H⠙");
    expect(readingIn(await look(reader))).toMatchObject({ reading: "spinning", progressAt: began });
  });

  it("is read as of when it was written, however late we look", async () => {
    write(busy("Pondering"));
    const written = now;
    now += 3_600_000;
    expect(readingIn(await look(open()))).toMatchObject({ progressAt: written });
  });

  it("waits for a human only after two looks, since it was asked", async () => {
    const reader = open();
    write(busy("Pondering"));
    await look(reader);
    write(dialog);
    const asked = now;
    expect(kinds(await look(reader))).toEqual(["activity"]);
    now += 10_000;
    expect(await look(reader)).toMatchObject([
      { kind: "reading", reading: "waiting", detail: "permission", at: asked, seenAt: now },
    ]);
  });

  it("waits for a human also if it did so long before the first look", async () => {
    write(dialog);
    const asked = now;
    now += 3_600_000;
    const reader = open();
    await look(reader);
    now += 10_000;
    expect(readingIn(await look(reader))).toMatchObject({ reading: "waiting", at: asked });
  });

  it("of which nothing but the time is wanted is not read at all", async () => {
    const reader = open({ plain: true });
    write(busy("Pondering"));
    expect(await look(reader)).toEqual([
      { kind: "activity", signal: "log", at: now, seenAt: now, context: "unknown" },
    ]);
    expect(reads).toBe(0);
  });

  it("that gives a shell's prompt back is gone, and what is typed there is no sign of life", async () => {
    const reader = open();
    write(`\x1b[?2004h\x1b[?25l${busy("Pondering")}────────\r\n❯ \r\n────────\r\n`);
    await look(reader);
    write("\x1b[2J\x1b[HKilled\r\n\x1b[?25hdev@rec:proj$ ");
    const written = now;
    now += 5000;
    expect(await look(reader)).toMatchObject([
      { kind: "gone", signal: "log", at: written, seenAt: now, clean: false },
    ]);
    write("ls\r\na.txt\r\ndev@rec:proj$ ");
    now += 5000;
    expect(kinds(await look(reader))).toEqual([]);
    expect(await look(reader, true)).toMatchObject([{ kind: "gone", at: written }]);
    write(busy("Returning"));
    expect(kinds(await look(reader))).toEqual(["activity", "present", "reading"]);
  });

  it("is drawn right when characters and sequences are cut between looks", async () => {
    const reader = open();
    const bytes = new TextEncoder().encode("\x1b[2J\x1b[H\x1b[31mgrün ✻ 漢字\x1b[0m\x1b]2;title\x07 end");
    for (const byte of bytes) {
      write(new Uint8Array([byte]));
      await look(reader);
    }
    expect(await reader.show?.("screen")).toBe("grün ✻ 漢字 end");
  });

  it("keeps its terminal's modes when the terminal was dropped and is drawn again from the tail", async () => {
    write(`\x1b[?1049h\x1b[?2004h\x1b[2J\x1b[H${"x\r\n".repeat(200_000)}`);
    const reader = open();
    await look(reader);
    now += 600_000;
    await look(reader);
    write("more");
    await look(reader);
    expect(await reader.show?.("screen")).toMatch(/x\nmore$/);
    expect(reads * 64 * 1024).toBeLessThan(1_000_000);
  });
});

describe("B2: a log that lasts as long as its session", () => {
  it("tells once that the session is over, also after a restart, and that there is another one", async () => {
    write(busy("Pondering"));
    const wrote = now;
    const first = open({ session: true });
    await look(first);
    rmSync(path);
    now += 10_000;
    const gone = { kind: "gone", signal: "log", at: wrote, clean: true };
    expect(await look(first)).toEqual([{ ...gone, seenAt: now }]);
    expect(await look(first)).toEqual([]);
    const reader = open({ session: true }, JSON.parse(JSON.stringify(first.memory?.())));
    expect(await look(reader)).toEqual([]);
    expect(await look(reader, true)).toEqual([{ ...gone, seenAt: now }]);
    write(busy("Returning"));
    expect(kinds(await look(reader))).toEqual(["present", "activity", "reading"]);
    expect(kinds(await look(reader))).toEqual([]);
  });

  it("cannot be read otherwise is a problem, as with any log", async () => {
    mkdirSync(path);
    expect(kinds(await look(open({ session: true })))).toEqual(["degraded"]);
  });
});

describe("a log in whose place another one is", () => {
  const began = async (): Promise<SignalReader> => {
    write("\x1b[2J\x1b[Hold words\r\n");
    const reader = open();
    await look(reader);
    return reader;
  };
  const shows = async (reader: SignalReader): Promise<string | undefined> => {
    const said = await look(reader);
    expect(kinds(said)).toContain("activity");
    return await reader.show?.("screen");
  };

  it("because it was renamed and made anew shows the new one only", async () => {
    const reader = await began();
    renameSync(path, `${path}.1`);
    write("new words, more than there were before\r\n");
    expect(await shows(reader)).toBe("new words, more than there were before");
  });

  it("because it was copied and truncated shows what came since", async () => {
    const reader = await began();
    copyFileSync(path, `${path}.1`);
    truncateSync(path);
    write("new\r\n");
    expect(await shows(reader)).toBe("new");
  });

  it("because it was truncated and has grown past its old size since", async () => {
    const reader = await began();
    truncateSync(path);
    write("new words, and so many that it is longer than it was\r\n");
    expect(await shows(reader)).toBe("new words, and so many that it is longer than it was");
  });

  it("because a link points elsewhere now", async () => {
    const [one, two] = [join(folder, "one"), join(folder, "two")];
    write("one\r\n", one);
    write("two, which is longer\r\n", two);
    symlinkSync(one, path);
    const reader = open();
    await look(reader);
    symlinkSync(two, `${path}.new`);
    renameSync(`${path}.new`, path);
    now += 10_000;
    expect(await shows(reader)).toBe("two, which is longer");
  });

  it("because a newer one is in the folder", async () => {
    const reader = open({ folder });
    write("one\r\n", join(folder, "1.log"));
    await look(reader);
    write("two\r\n", join(folder, "2.log"));
    expect(await shows(reader)).toBe("two");
  });

  it("and that is empty changes nothing of what was read", async () => {
    const reader = open();
    write(dialog);
    await look(reader);
    truncateSync(path);
    now += 10_000;
    expect(readingIn(await look(reader))).toBeUndefined();
    now += 10_000;
    expect(readingIn(await look(reader))).toMatchObject({ reading: "waiting" });
  });
});

describe("a log that cannot be read", () => {
  it("says that it does not exist, and everything again when it does", async () => {
    const reader = open();
    expect(await look(reader)).toEqual([
      { kind: "degraded", signal: "log", at: now, problem: `the log ${path} does not exist` },
    ]);
    write(busy("Pondering"));
    expect(kinds(await look(reader))).toEqual(["activity", "reading"]);
    renameSync(path, `${path}.away`);
    now += 10_000;
    expect(kinds(await look(reader))).toEqual(["degraded"]);
    renameSync(`${path}.away`, path);
    now += 10_000;
    expect(kinds(await look(reader))).toEqual(["activity", "reading"]);
  });

  it("says that a folder is in its place", async () => {
    mkdirSync(path);
    expect(await look(open())).toMatchObject([
      { kind: "degraded", problem: `the log ${path} is a folder, not a file` },
    ]);
  });

  it("says that it may not be read, once, and not that it was active", async () => {
    write("secret");
    const denied = Object.assign(new Error("denied"), { code: "EACCES" });
    const { local: _, ...files } = realFiles;
    const reader = open({ files: { ...files, read: () => Promise.reject(denied) } });
    expect(await look(reader)).toMatchObject([
      { kind: "degraded", problem: `the log ${path} may not be read by this user` },
    ]);
    write("more");
    expect(await look(reader)).toEqual([]);
  });

  it("tells a problem that nobody heard because the look was broken off", async () => {
    const reader = open();
    const controller = new AbortController();
    const broken = reader.look({ now, fresh: false, abort: controller.signal });
    controller.abort();
    expect(await broken).toEqual([]);
    expect(kinds(await look(reader))).toEqual(["degraded"]);
    expect(await look(reader)).toEqual([]);
  });

  it("is not looked at twice at once when the disk hangs, and tells when it answers", async () => {
    write(busy("Pondering"));
    let answer = () => {};
    const hangs = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let asked = 0;
    const stat = async (file: string) => {
      asked += 1;
      await hangs;
      return await realFiles.stat(file);
    };
    const reader = open({ files: { ...realFiles, stat } });
    for (let i = 0; i < 3; i += 1) {
      const controller = new AbortController();
      const said = reader.look({ now, fresh: false, abort: controller.signal });
      controller.abort();
      expect(await said).toEqual([]);
    }
    expect(asked).toBe(1);
    const next = look(reader);
    answer();
    expect(kinds(await next)).toEqual(["activity", "reading"]);
  });
});

it("ten thousand looks at an idle log cost a stat each and not one read", async () => {
  write(busy("Pondering"));
  const reader = open();
  await look(reader);
  [reads, stats] = [0, 0];
  for (let i = 0; i < 10_000; i += 1) {
    now += 10_000;
    await look(reader);
  }
  expect({ reads, stats }).toEqual({ reads: 0, stats: 10_000 });
});

describe("a glance", () => {
  const { local } = realFiles;
  const seen = async (more: Partial<LogSignalSettings> = {}) => {
    write("hello\n");
    const reader = open({ plain: true, files: { ...counting, ...(local && { local }) }, ...more });
    await look(reader);
    [reads, stats] = [0, 0];
    return reader;
  };

  it.skipIf(local?.version(T) === undefined)(
    "is enough while nothing is written, and costs no look",
    async () => {
      const reader = await seen();
      for (let i = 0; i < 100; i += 1) {
        now += 10_000;
        expect(reader.glance?.(now)).toBe(true);
      }
      expect({ reads, stats }).toEqual({ reads: 0, stats: 0 });
    },
  );

  it.each([
    { name: "grew", change: () => appendFileSync(path, "more\n") },
    { name: "was emptied", change: () => truncateSync(path) },
    { name: "was only touched", change: () => utimesSync(path, 1, 1) },
    { name: "is gone", change: () => rmSync(path) },
    {
      name: "was replaced by one of the same size and time",
      change: () => {
        copyFileSync(path, `${path}.new`);
        utimesSync(`${path}.new`, now / 1000, now / 1000);
        renameSync(`${path}.new`, path);
      },
    },
  ])("is not enough where the log $name, and the look tells", async ({ change }) => {
    const reader = await seen();
    change();
    now += 10_000;
    expect(reader.glance?.(now)).toBe(false);
    expect(await look(reader)).not.toEqual([]);
  });

  it("is not enough where a silence still tells something, the path may lead far away, or it is a pattern", async () => {
    const reader = await seen({ plain: false });
    expect(reader.glance?.(now + 10_000)).toBe(false);
    expect(reader.glance?.(now + 130_000)).toBe(local?.version(now) !== undefined);
    symlinkSync(path, join(folder, "link"));
    expect((await seen({ path: join(folder, "link") })).glance?.(now)).toBe(false);
    expect((await seen({ path: join(folder, "*.log") })).glance?.(now)).toBe(false);
    expect((await seen({ files: counting })).glance?.(now)).toBe(false);
  });
});

it("the first look at a large log reads its tail only", async () => {
  write(`${"line\r\n".repeat(1_000_000)}the end`);
  const reader = open();
  await look(reader);
  expect(reads).toBeLessThanOrEqual(5);
  expect(await reader.show?.("screen")).toMatch(/line\nthe end$/);
  expect(await reader.show?.("raw")).toMatch(/^line\r\n(?:line\r\n)+the end$/);
});

it("after a restart it goes on where it was", async () => {
  const before = open();
  write(busy("Pondering"));
  await look(before);
  write(dialog);
  const asked = now;
  await look(before);
  const memory: unknown = JSON.parse(JSON.stringify(before.memory?.()));
  now += 10_000;
  const after = open({}, memory);
  expect(await look(after)).toMatchObject([{ kind: "reading", reading: "waiting", at: asked }]);
  write("x");
  expect(kinds(await look(after))).toContain("activity");
});

describe("the settings of a log", () => {
  it.each([
    [{}, "path", "exactly one of path and folder"],
    [{ path: "a", folder: "b" }, "folder", "exactly one of path and folder"],
    [{ path: 7 }, "path", "a path such as ~/logs/{agent}.log or {home}/logs/{agent}-*.log"],
    [{ path: "a", plain: "yes" }, "plain", "true or false"],
    [{ path: "a", cols: 3 }, "cols", "a whole number of columns from 20 to 1000"],
  ])("%j says what would be right", (input, where, message) => {
    const issue = logSettings.safeParse(input).error?.issues[0];
    expect([issue?.path.join("."), issue?.message]).toEqual([where, message]);
  });
  it("need no more than a path", () => {
    expect(logSettings.parse({ path: "~/a.log" })).toEqual({ path: "~/a.log", plain: false });
  });
});

describe("many logs that grow at once", () => {
  it("hold few terminals, and who lost its own is drawn again from its tail", async () => {
    const terminals = new TerminalPool(2);
    const few = openScreens(packs, "UTC", terminals);
    const logs = Array.from({ length: 6 }, (_, i) => join(folder, `${i}.log`));
    const all = logs.map((file) => open({ path: file, screens: few }));
    const held: number[] = [];
    const round = async (text: (i: number) => string) => {
      for (const [i, file] of logs.entries()) {
        write(text(i), file);
        const reader = all[i];
        if (reader !== undefined) await look(reader);
        held.push(terminals.size);
      }
    };
    await round((i) => `\x1b[?1049h\x1b]2;job ${i}\x07\x1b[H${"first ".repeat(i)}\r\n`);
    // Only with what was drawn before does this stand in the second row.
    await round((i) => `second ${i}`);
    expect(Math.max(...held)).toBe(2);
    const shown = await Promise.all(all.map((reader) => reader.show?.("screen")));
    expect(shown).toEqual(logs.map((_, i) => `${"first ".repeat(i)}\nsecond ${i}`));
    for (const reader of all) reader.close();
    expect(terminals.size).toBe(0);
  });
});

describe("a log that its pane should feed", () => {
  it.each([
    ["is degraded once its pane wrote more than a minute after it", 61_000, false, true],
    ["is believed while its pane wrote within a minute of it", 60_000, false, false],
    ["is believed if it is one of the agent's own", 600_000, true, false],
  ])("%s", async (_name, ahead, plain, broken) => {
    write(busy("Thinking"));
    const wroteAt = now + ahead;
    const reader = open({ plain, paneWroteAt: () => wroteAt });
    now = wroteAt;
    const [first] = await look(reader);
    expect(first?.kind).toBe(broken ? "degraded" : "activity");
    if (broken)
      expect(first).toMatchObject({ problem: expect.stringContaining("has received nothing from its pane") });
  });

  it("is told once while it lasts, and read again when it is fed again", async () => {
    write(busy("Thinking"));
    const reader = open({ paneWroteAt: () => now });
    await look(reader);
    now += 90_000;
    expect(kinds(await look(reader))).toEqual(["degraded"]);
    now += 10_000;
    expect(await look(reader)).toEqual([]);
    write(busy("Working"));
    expect(kinds(await look(reader))).toContain("reading");
  });
});

describe("a screen that takes too long", () => {
  const slow: Screens = {
    ...screens,
    draw: () => Promise.reject(new ScreenProblem("drawing its screen took longer than 1 s")),
  };

  it("degrades the signal with the reason, and is tried less and less often", async () => {
    let tries = 0;
    let works = false;
    const draw: Screens["draw"] = (...args) => {
      tries += 1;
      return works ? screens.draw(...args) : slow.draw(...args);
    };
    const reader = open({ screens: { ...screens, draw } });
    write(busy("Pondering"));
    expect(await look(reader)).toMatchObject([
      { kind: "degraded", signal: "log", problem: "drawing its screen took longer than 1 s" },
    ]);
    for (let i = 0; i < 30; i += 1) {
      now += 10_000;
      await look(reader);
    }
    // After 30 s, after another 60 s, and after another 120 s.
    expect(tries).toBe(4);
    works = true;
    now += 960_000;
    expect(readingIn(await look(reader))).toMatchObject({ reading: "working" });
  });

  it("is tried again soon if only the machine was busy", async () => {
    let isBusy = true;
    const draw: Screens["draw"] = (...args) =>
      isBusy
        ? Promise.reject(new ScreenProblem("drawing its screen took longer than 4 s", true))
        : screens.draw(...args);
    const reader = open({ screens: { ...screens, draw } });
    write(busy("Pondering"));
    expect(kinds(await look(reader))).toEqual(["degraded"]);
    for (let i = 0; i < 5; i += 1) {
      now += 10_000;
      await look(reader);
    }
    isBusy = false;
    now += 10_000;
    expect(readingIn(await look(reader))).toMatchObject({ reading: "working" });
  });

  it("is read again when reading it took too long", async () => {
    let fails = false;
    const read: Screens["read"] = (...args) =>
      fails
        ? Promise.reject(new ScreenProblem("reading its screen took longer than 1 s"))
        : screens.read(...args);
    const reader = open({ screens: { ...screens, read } });
    write(busy("Pondering"));
    await look(reader);
    fails = true;
    write(dialog);
    expect(kinds(await look(reader))).toEqual(["degraded"]);
    fails = false;
    now += 30_000;
    await look(reader);
    now += 10_000;
    expect(readingIn(await look(reader))).toMatchObject({ reading: "waiting" });
  });
});
