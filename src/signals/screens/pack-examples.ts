import { found } from "../../core/screen/match.ts";
import { regionsOf } from "../../core/screen/regions.ts";
import type { ScreenRule } from "../../core/screen/rule.ts";
import { blankScreen, type Screen } from "../../core/screen/screen.ts";
import { compilePack, type PackSource } from "./packs.ts";

/** A screen that shows an example where its rule looks. */
function shown(rule: ScreenRule, text: string): Screen {
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

/** The examples that a pack's rules do not match, and the counter-examples that they do, as sentences. */
export function exampleProblems(source: PackSource): readonly string[] {
  return compilePack(source).rules.flatMap((rule, i) => {
    const { name, examples = [], counter = [] } = source.rules[i] ?? {};
    const matches = (text: string) => found(rule, regionsOf(shown(rule, text))) !== undefined;
    const say = (what: string, text: string) =>
      `rule "${name}": expected a pattern that ${what} ${JSON.stringify(text)}`;
    return [
      ...examples.filter((text) => !matches(text)).map((text) => say("matches its example", text)),
      ...counter.filter(matches).map((text) => say("does not match its counter-example", text)),
    ];
  });
}
