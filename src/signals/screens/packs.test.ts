import { describe, expect, it } from "vitest";
import { read } from "../../core/screen/read.ts";
import { blankScreen } from "../../core/screen/screen.ts";
import { compilePack, exampleProblems, loadPacks, ownPacks, PackError, parsePack } from "./packs.ts";
import { compilePattern } from "./pattern.ts";

describe("every rule of our own", () => {
  it.each(ownPacks())("of $name matches its examples and not its counter-examples", (source) => {
    expect(exampleProblems(source)).toEqual([]);
  });

  it("has a name of its own", () => {
    const ids = ownPacks().flatMap((source) => compilePack(source).rules.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

const mine = (name: string, detect = "") =>
  parsePack(
    `name: ${name}\n${detect}rules:\n  - name: mine\n    says: waiting\n    in: row\n    match: 'wants you'\n    examples: ['it wants you']\n`,
    "mine.yaml",
  );

describe("a user's pack", () => {
  it("with a known name puts its rules before that pack's", () => {
    const codex = loadPacks([mine("codex")]).clients.find(({ name }) => name === "codex");
    expect(codex?.rules[0]?.id).toBe("codex/mine");
    expect(codex?.rules.length).toBeGreaterThan(1);
  });

  it("with signs is a new client", () => {
    expect(loadPacks([mine("other", "detect: ['Other v1']\n")]).clients[0]?.name).toBe("other");
  });

  it("without signs applies to every screen", () => {
    expect(loadPacks([mine("other")]).generic.map(({ name }) => name)).toEqual(["other", "generic"]);
  });

  it("that is wrong is refused with its place and its code", () => {
    const text =
      "name: x\nrules:\n  - name: a\n    says: asleep\n    in: row\n    mtach: a\n    match: a\n    examples: [a]\n";
    expect(() => parsePack(text, "x.yaml")).toThrow(
      /^x\.yaml: rule "a": says: expected one of shell, .*, ignore, not "asleep"\nx\.yaml: rule "a": unknown key mtach; expected one of name, /,
    );
    expect(() => parsePack("name: x\nrules: []", "x.yaml")).toThrow(
      "x.yaml: rules: expected at least one rule, not []",
    );
    expect(() => parsePack("7", "x.yaml")).toThrow("x.yaml: expected a mapping of keys to values, not 7");
    expect(() => parsePack("name: [", "x.yaml")).toThrow(PackError);
    const broken = { ...mine("x"), detect: ["("] };
    expect(() => compilePack(broken)).toThrow('pack "x": detect: expected a regular expression (');
    const ahead = { ...mine("x"), detect: ["a(?!b)"] };
    expect(() => compilePack(ahead)).toThrow(
      /RE2 has no look-around and no back-references\), not "a\(\?!b\)"$/,
    );
  });

  it("has no pattern that takes longer than its text is long, whatever it repeats", () => {
    const nested = parsePack(
      "name: x\ndetect: ['^(a+)+$', '(.*a){12}b']\nrules:\n  - { name: a, says: idle, in: row, match: x, examples: [x] }\n",
      "x.yaml",
    );
    // An engine that tries one way after the other would not end on either.
    for (const sign of compilePack(nested).detect) expect(sign.test(`${"a".repeat(1000)}!`)).toBe(false);
  });

  it("whose patterns do not match its own example is told so", () => {
    const wrong = parsePack(
      "name: x\nrules:\n  - { name: a, says: idle, in: row, match: b+, examples: [aaa], counter: [bbb] }\n",
      "x.yaml",
    );
    expect(exampleProblems(wrong)).toEqual([
      'rule "a": expected a pattern that matches its example "aaa"',
      'rule "a": expected a pattern that does not match its counter-example "bbb"',
    ]);
  });
});

describe("a pattern", () => {
  it.each([
    ["a no-break space is a blank", String.raw`^❯\s$`, "❯\u00a0", 0],
    ["a no-break space is a blank in a class too", String.raw`a[\s.]b`, "xa\u3000b", 1],
    ["a no-break space is nothing else", String.raw`^\S+$`, "a\u00a0b", -1],
    ["case is ignored", "ESC", "press esc", 6],
    ["places count as JavaScript counts them", "b", "🚫b", 2],
    ["^ and $ are a row's ends", "^b$", "a\nb\nc", 2],
    ["letters are those of every language", String.raw`^\p{L}+$`, "żółć", 0],
  ])("%s", (_, pattern, text, place) => {
    expect(text.search(compilePattern(pattern))).toBe(place);
    expect(compilePattern(pattern).test(text)).toBe(place >= 0);
  });
});

it("a wide screen full of one program's words is read", () => {
  // With an engine that tries one way after the other, this took two minutes.
  const rows = Array.from({ length: 40 }, (_, y) => `${"^G Help ".repeat(800).slice(y)}${y}`);
  const screen = { ...blankScreen(), rows, cursor: { x: 0, y: 39, hidden: false }, alternate: true };
  const frame = { t: 1, screen, bytes: 1, scrolled: 0 };
  expect(read(undefined, frame, loadPacks(), { zone: "UTC" }).reading.rule).toBe("reader/full-screen");
});
