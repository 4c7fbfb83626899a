import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openTerminal } from "./terminal.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const esc = "\u001b";

async function screenOf(...chunks: Uint8Array[]) {
  const terminal = openTerminal({ cols: 40, rows: 8 });
  for (const chunk of chunks) await terminal.write(chunk);
  const { screen } = terminal.look();
  terminal.drop();
  return screen;
}

describe("a terminal", () => {
  it("shows what was written, where it was written", async () => {
    const screen = await screenOf(encode(`one\r\n${esc}[3;5Hthree${esc}[1;1Hx`));
    expect(screen.rows.slice(0, 3)).toEqual(["xne", "", "    three"]);
    expect(screen.cursor).toEqual({ x: 1, y: 0, hidden: false });
  });

  it("begins each line at the left where no terminal was in between", async () => {
    const plain = encode("one\n  two\nthree");
    expect((await screenOf(plain)).rows.slice(0, 3)).toEqual(["one", "  two", "three"]);
    expect((await screenOf(plain.subarray(0, 6), plain.subarray(6))).rows[2]).toBe("three");
    const drawn = await screenOf(encode("one\r\ntwo\nthree"));
    expect(drawn.rows.slice(0, 3)).toEqual(["one", "two", "   three"]);
    const cut = await screenOf(encode("one\r"), encode("\ntwo\nthree"));
    expect(cut.rows.slice(0, 3)).toEqual(["one", "two", "   three"]);
    const meter = await screenOf(encode("10%\r20%\ndone\nbye"));
    expect(meter.rows.slice(0, 3)).toEqual(["20%", "done", "bye"]);
  });

  it("collects the title, the state code and the progress that only the bytes carry", async () => {
    const screen = await screenOf(
      encode(`${esc}]0;⠂ Session\u0007${esc}]7501;state=working:app=codex\u0007${esc}]9;4;3\u0007`),
    );
    expect(screen).toMatchObject({ title: "⠂ Session", code: "state=working:app=codex", progress: true });
    expect((await screenOf(encode(`${esc}]9;4;3\u0007${esc}]9;4;0\u0007`))).progress).toBe(false);
  });

  it("knows a hidden cursor, the alternate screen and bracketed paste", async () => {
    const screen = await screenOf(encode(`${esc}[?25l${esc}[?1049h${esc}[?2004h`));
    expect(screen).toMatchObject({ cursor: { hidden: true }, alternate: true, paste: true });
    expect(await screenOf(encode(`${esc}[?25l${esc}[?25h`))).toMatchObject({ cursor: { hidden: false } });
  });

  it("counts bytes and rows that scrolled since it was last looked at", async () => {
    const terminal = openTerminal({ cols: 20, rows: 4 });
    await terminal.write(encode("a\r\nb\r\nc\r\nd\r\ne\r\nf"));
    expect(terminal.look()).toMatchObject({ bytes: 16, scrolled: 2 });
    expect(terminal.look()).toMatchObject({ bytes: 0, scrolled: 0 });
    terminal.drop();
  });

  it("draws at once, without waiting for a timer", async () => {
    const terminal = openTerminal({ cols: 20, rows: 4 });
    const first = terminal.write(encode("one"));
    expect(terminal.look().screen.rows[0]).toBe("one");
    await first;
    const second = terminal.write(encode(" two"));
    expect(terminal.look().screen.rows[0]).toBe("one two");
    await second;
    terminal.drop();
  });

  it("renders nothing while nothing is written", async () => {
    const terminal = openTerminal();
    await terminal.write(encode("x"));
    const { screen } = terminal.look();
    await terminal.write(new Uint8Array());
    expect(terminal.look().screen).toBe(screen);
    terminal.drop();
  });

  it("forgets everything on reset", async () => {
    const terminal = openTerminal({ cols: 20, rows: 4 });
    await terminal.write(encode(`${esc}]0;title\u0007text${esc}[?25l`));
    await terminal.reset();
    expect(terminal.look().screen).toMatchObject({
      rows: ["", "", "", ""],
      title: "",
      cursor: { hidden: false },
    });
    terminal.drop();
  });

  it("shows nothing of what was written before a reset, wherever that was cut off", async () => {
    const pieces = [
      ...[
        "word ",
        "ü✻⠋",
        "\r\n".repeat(5),
        `${esc}[H`,
        `${esc}[3;7H`,
        `${esc}[31;7m`,
        `${esc}[K`,
        "\t",
        "\b",
      ],
      ...[
        `${esc}]0;tïtle\u0007`,
        `${esc}]7501;state=idle${esc}\\`,
        `${esc}]9;4;3;0\u0007`,
        `${esc}]8;;http://a\u0007`,
      ],
      ...[
        `${esc}[?25l`,
        `${esc}[?1049h`,
        `${esc}[?1049l`,
        `${esc}[?2004h`,
        `${esc}[?6h`,
        `${esc}[?7l`,
        `${esc}[4h`,
      ],
      ...[
        `${esc}[2;3r`,
        `${esc}7`,
        `${esc}8`,
        `${esc}[s`,
        `${esc}[u`,
        `${esc}H`,
        `${esc}[3g`,
        `${esc}(0`,
        "\u000e",
      ],
      ...[
        `${esc}[5b`,
        `${esc}[22t`,
        `${esc}[23t`,
        `${esc}P1;2|q`,
        `${esc}[?2026h`,
        `${esc}[20h`,
        `${esc}[2"q`,
      ],
    ];
    const written = fc
      .array(fc.constantFrom(...pieces), { maxLength: 20 })
      .map((all) => encode(all.join("")));
    await fc.assert(
      fc.asyncProperty(written, fc.nat(200), written, async (before, cut, after) => {
        const used = openTerminal({ cols: 20, rows: 4 });
        const unused = openTerminal({ cols: 20, rows: 4 });
        await used.write(before.subarray(0, cut));
        await used.reset();
        for (const terminal of [used, unused]) await terminal.write(after);
        expect(used.look()).toEqual(unused.look());
        for (const terminal of [used, unused]) terminal.drop();
      }),
      { numRuns: 100 },
    );
  });

  it("shows the same screen however the bytes are cut", async () => {
    const pieces = fc.constantFrom(
      ...["word ", "ü✻⠋", "\r\n", `${esc}[2J`, `${esc}[H`, `${esc}[3;7H`, `${esc}[31m`, `${esc}[K`],
      ...[`${esc}]0;tïtle\u0007`, `${esc}]7501;state=idle${esc}\\`, `${esc}[?25l`, `${esc}[?1049h`, "\r"],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(pieces, { maxLength: 30 }),
        fc.array(fc.nat(400), { maxLength: 8 }),
        async (all, cuts) => {
          const bytes = encode(all.join(""));
          const edges = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
          const chunks = edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge));
          expect(await screenOf(...chunks)).toEqual(await screenOf(bytes));
        },
      ),
      { numRuns: 60 },
    );
  });
});
