import { describe, expect, it } from "vitest";
import { exampleProblems } from "./pack-examples.ts";
import { compilePack, loadPacks, ownPacks, PackError, parsePack } from "./packs.ts";

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
