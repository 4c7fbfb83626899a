import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Harmless } from "./harmless.ts";
import { openTerminal } from "./terminal.ts";

const esc = "\u001b";
const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** What is left of a text that comes in these pieces. */
function harmless(...pieces: (string | Uint8Array)[]): string {
  const filter = new Harmless(120, 40);
  return pieces.map((piece) => decode(filter.of(typeof piece === "string" ? encode(piece) : piece))).join("");
}

describe("the bytes that reach the emulator", () => {
  it.each([
    ["lines to insert", `${esc}[2147483647L`, `${esc}[40L`],
    ["many parameters", `${esc}[9;99999;;7H`, `${esc}[9;120;;7H`],
    ["sub-parameters", `${esc}[4:99999;1S`, `${esc}[4:40;1S`],
    ["the eight-bit form", "\u009b99999M", "\u009b40M"],
    ["intermediate bytes", `${esc}[99999'}`, `${esc}[120'}`],
    ["leading zeros", `${esc}[000000000000000002A`, `${esc}[2A`],
    ["a number with a line feed inside", `${esc}[21\n47\n483647L`, `${esc}[\n\n40L`],
    [
      "a number with bytes inside that are no text",
      new Uint8Array([...encode(`${esc}[21`), 0xff, ...encode("474L")]),
      `${esc}[\ufffd40L`,
    ],
    ["an escape with a control character inside", `${esc}\r[99999b`, `${esc}\r[120b`],
    ["a sequence that another one breaks off", `${esc}[99999${esc}[99999P`, `${esc}[120${esc}[120P`],
  ])("have no large number in %s", (_, text, expected) => {
    expect(harmless(text)).toBe(expected);
    const bytes = typeof text === "string" ? encode(text) : text;
    const filter = new Harmless(120, 40);
    const single = Array.from(bytes, (byte) => filter.of(Uint8Array.of(byte)).slice());
    expect(decode(Uint8Array.from(single.flatMap((one) => [...one])))).toBe(expected);
  });

  it.each([
    ["modes", `${esc}[?2004h${esc}[?1049l`],
    ["colours", `${esc}[38;2;255;128;0m${esc}[38:5:201m`],
    ["titles and codes", `${esc}]0;⠂ Session 99999\u0007${esc}]7501;state=idle${esc}\\`],
    ["text with numbers", "99999 bottles · 123456 [99999L"],
    ["what only looks like a sequence", `${esc}(B99999L ${esc}7 99999`],
  ])("keep %s", (_, text) => {
    expect(harmless(text)).toBe(text);
  });

  it("have no string longer than a title is", () => {
    const long = "x".repeat(1e6);
    for (const [begin, end] of [
      [`${esc}]0;`, "\u0007"],
      [`${esc}P1$q`, `${esc}\\`],
      ["\u009d0;", "\u009c"],
    ] as const) {
      const text = harmless(begin, long, long, `${end}after`);
      expect(text.length).toBeLessThan(3000);
      expect(text.endsWith(`${end}after`)).toBe(true);
    }
  });

  it("have no sequence without an end", () => {
    expect(harmless(`${esc}[${"1;".repeat(1e5)}`).length).toBeGreaterThan(0);
    const filter = new Harmless(120, 40);
    filter.of(encode(`${esc}[${"1".repeat(1e6)}`));
    expect(decode(filter.of(encode("L")))).toBe("L");
  });

  it("are all there where nothing is wrong, however they are cut", () => {
    const piece = fc.constantFrom(
      ...[
        "word",
        "ü·✻",
        "\r\n",
        `${esc}[3;7H`,
        `${esc}[31m`,
        `${esc}]0;t·\u0007`,
        `${esc}[?1049h`,
        "\u009b2K",
      ],
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(200)), (all, cuts) => {
        const bytes = encode(all.join(""));
        const edges = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const filter = new Harmless(120, 40);
        const out = edges.slice(1).flatMap((edge, i) => [...filter.of(bytes.subarray(edges[i], edge))]);
        expect(decode(Uint8Array.from(out))).toBe(all.join(""));
      }),
    );
  });
});

describe("a terminal", () => {
  const finals = Array.from({ length: 0x7e - 0x40 + 1 }, (_, i) => String.fromCharCode(0x40 + i));

  it("draws every command with the largest number, and lives on", async () => {
    const terminal = openTerminal({ cols: 40, rows: 8 });
    const number = "2147483647";
    const shapes = ["", "?", ">", "="].flatMap((prefix) =>
      ["", " ", "'", "$", "!", '"'].map((between) => [prefix, between] as const),
    );
    for (const final of finals) {
      const all = shapes.map(
        ([prefix, between]) => `x${esc}[${prefix}${number};${number}:${number};${number}${between}${final}`,
      );
      await terminal.write(encode(all.join("")));
    }
    await terminal.write(encode(`${esc}c${esc}[?1049l${esc}[Hhere`));
    const { screen } = terminal.look();
    expect([screen.rows[0], screen.rows.length]).toEqual(["here", 8]);
    terminal.drop();
  });
});
