import { describe, expect, it } from "vitest";
import { found } from "../core/screen/match.ts";
import { regionsOf } from "../core/screen/regions.ts";
import type { Rule } from "../core/screen/rule.ts";
import { blankScreen, type Screen } from "../core/screen/screen.ts";
import { compilePack, loadPacks, ownPacks, PackError, parsePack } from "./packs.ts";

/** A screen that shows an example where its rule looks. */
function shown(rule: Rule, text: string): Screen {
  if (rule.in === "title") return { ...blankScreen(), title: text };
  if (rule.in === "code") return { ...blankScreen(), code: text };
  const rows = text.split("\n");
  const last = rows.at(-1) ?? "";
  if (rule.in === "output") rows.push("dev@rec:proj$ ");
  return {
    ...blankScreen(),
    rows,
    cursor: { x: rule.in === "output" ? 14 : last.length, y: rows.length - 1, hidden: false },
  };
}

const cases = ownPacks().flatMap((source) =>
  compilePack(source).rules.map((rule, i) => ({ rule, source: source.rules[i] })),
);

describe("every rule", () => {
  it.each(cases)("$rule.id matches its examples", ({ rule, source }) => {
    for (const example of source?.examples ?? []) {
      expect(found(rule, regionsOf(shown(rule, example))), example).toBeDefined();
    }
  });

  it.each(cases.filter(({ source }) => source?.counter.length))(
    "$rule.id does not match its counter-examples",
    ({ rule, source }) => {
      for (const counter of source?.counter ?? []) {
        expect(found(rule, regionsOf(shown(rule, counter))), counter).toBeUndefined();
      }
    },
  );

  it("has a name of its own", () => {
    const ids = cases.map(({ rule }) => rule.id);
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
      "name: x\nrules:\n  - name: a\n    says: asleep\n    in: row\n    match: a\n    examples: [a]\n";
    expect(() => parsePack(text, "x.yaml")).toThrow(/^x\.yaml: rules\.0\.says: /);
    expect(() => parsePack("name: [", "x.yaml")).toThrow(PackError);
    const broken = { ...mine("x"), detect: ["("] };
    expect(() => compilePack(broken)).toThrow(/^x\/detect: /);
  });
});
