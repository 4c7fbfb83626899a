import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleaned, codeSpan, fenced, prose, shortened } from "./harmless.ts";

describe("an agent's text is made harmless", () => {
  it.each([
    ["colours and titles of a terminal", "\x1b[31mred\x1b[0m \x1b]0;title\x07x", "red x"],
    ["text that runs backwards", "a\u202eb", "ab"],
    ["lines of Windows", "a\r\nb\rc", "a\nb\nc"],
    ["half a character", "a\ud83d", "a\ufffd"],
    ["our own marker", "<!-- rollcall:a:2026-04:OFFLINE -->", "<\u200d!-- rollcall:a:2026-04:OFFLINE -->"],
    ["a marker that hides behind what is taken out", "<\u200d!-\u200d- x -->", "<\u200d!-- x -->"],
    ["a secret that an escape splits", "pass\x1b[0mword=hunt\u200ber22", "password=[redacted]"],
  ])("%s", (_, text, clean) => {
    expect(cleaned(text)).toBe(clean);
  });

  it("a block ends where we say, whatever fence stands in the text", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("`", "```", "````", "~~~", "\n", "x", "</details>")), (parts) => {
        const lines = fenced(parts.join("")).split("\n");
        const fence = lines[0]?.replace("text", "") ?? "";
        expect(fence).toMatch(/^`{3,}$/);
        expect(lines.at(-1)).toBe(fence);
        for (const line of lines.slice(1, -1)) expect(line).not.toContain(fence);
      }),
    );
  });

  it.each([
    ["plain", "`plain`"],
    ["two\nlines", "`two lines`"],
    ["a `tick`", "`` a `tick` ``"],
    ["a ``` b", "````a ``` b````"],
    ["  ", "(nothing)"],
    ["@everyone https://evil.example", "`@everyone https://evil.example`"],
  ])("code within a line: %j", (text, code) => {
    expect(codeSpan(text)).toBe(code);
  });

  it.each([
    ["@team look", "@\u200dteam look"],
    ["fixes #12", "fixes \\#\u200d12"],
    ["[x](http://e.example)", "\\[x\\]\\(http:\u200d//e.example\\)"],
    ["<img src=x>", "&lt;img src=x\\>"],
    ["www.evil.example", "www\u200d.evil.example"],
    ["- item", "\\- item"],
    ["1. item", "1\\. item"],
    ["2026-04 is over", "2026\\-04 is over"],
    ["for 2026-04", "for 2026-04"],
    ["**bold** _it_", "\\*\\*bold\\*\\* \\_it\\_"],
  ])("prose: %j", (text, safe) => {
    expect(prose(text)).toBe(safe);
  });

  it("long text keeps its beginning and its end", () => {
    const cut = shortened(`begin${"x".repeat(10_000)}end`, 100);
    expect(cut).toMatch(/^begin[\s\S]*characters left out[\s\S]*end$/);
    expect(cut.length).toBeLessThan(150);
    expect(shortened("short", 100)).toBe("short");
  });
});
