import { parse } from "yaml";
import * as z from "zod";
import { given } from "../../core/given.ts";
import { found } from "../../core/screen/match.ts";
import { regionsOf } from "../../core/screen/regions.ts";
import type { Pack, Packs, Pattern, ScreenRule } from "../../core/screen/rule.ts";
import { blankScreen, type Screen } from "../../core/screen/screen.ts";
import { mapping, yesNo } from "../../ports/setting-forms.ts";
import { OWN_PACKS } from "./own-packs.ts";
import { compilePattern } from "./pattern.ts";

/** Every message says what would be right: it is shown after "expected". */
const NAME = "a name of small letters, digits and dashes";
const PATTERN = "a regular expression";
const PATTERNS = "a list of regular expressions";
const SAYS = [
  ...["shell", "crash", "waiting", "login", "limited"],
  ...["retrying", "busy", "tool", "idle", "agent", "ignore"],
] as const;
const REGIONS = [
  ...["title", "code", "cursor", "prompt", "bottom", "end"],
  ...["tail", "message", "output", "row", "last", "block", "group", "anywhere"],
] as const;
const CONTEXTS = ["model", "tool", "unknown"] as const;
const TEXTS = "a list with at least one text";

const name = z.string({ error: NAME }).regex(/^[a-z0-9-]+$/, NAME);
const pattern = z.string({ error: PATTERN }).min(1, PATTERN);
const patterns = z.array(pattern, { error: PATTERNS });
const oneOf = (words: readonly string[]) => `one of ${words.join(", ")}`;
const ruleSchema = mapping({
  name,
  says: z.enum(SAYS, { error: oneOf(SAYS) }),
  in: z.enum(REGIONS, { error: oneOf(REGIONS) }),
  /** A pattern, or several of which any will do. */
  match: z.union([pattern, patterns.min(1)], { error: `${PATTERN}, or ${PATTERNS}` }),
  also: patterns.default([]),
  not: patterns.default([]),
  notice: yesNo.default(false),
  /** Seconds of silence after which, and before which, the rule is not believed. */
  lively: z.number({ error: "seconds" }).positive("seconds, more than 0").optional(),
  quiet: z
    .number({ error: "seconds" })
    .min(0, "seconds from 0 to 60")
    .max(60, "seconds from 0 to 60")
    .default(0),
  kind: z.string({ error: "a word such as permission or question" }).optional(),
  context: z.enum(CONTEXTS, { error: oneOf(CONTEXTS) }).optional(),
  examples: z.array(z.string({ error: "text" }).min(1, "text"), { error: TEXTS }).min(1, TEXTS),
  counter: z.array(z.string({ error: "text" }), { error: "a list of texts" }).default([]),
});
const packSchema = mapping({
  name,
  /** A pack without signs applies to every screen. */
  detect: patterns.default([]),
  /** Pieces that patterns share, written there as `%name%`. */
  define: z.record(z.string(), pattern, { error: "a mapping of names to patterns" }).default({}),
  rules: z.array(ruleSchema, { error: "a list of rules" }).min(1, "at least one rule"),
});

export type PackSource = z.infer<typeof packSchema>;

/** A pack that cannot be used: says which one, where in it and what would be right, a line for each problem. */
export class PackError extends Error {
  readonly code = "PACK_INVALID";
}

/** Reads the text of a pack; `from` names it in errors. */
export function parsePack(text: string, from: string): PackSource {
  let data: unknown;
  try {
    data = parse(text, { logLevel: "error" });
  } catch (error) {
    throw new PackError(`${from}: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`);
  }
  return checkPack(data, from);
}

function checkPack(data: unknown, from: string): PackSource {
  const checked = packSchema.safeParse(data);
  if (checked.success) return checked.data;
  throw new PackError(checked.error.issues.map((issue) => `${from}: ${sayIssue(issue, data)}`).join("\n"));
}

/** A rule is named by its name, which people see, and by its place if it has none. */
function sayIssue({ path, code, message, ...more }: z.core.$ZodIssue, data: unknown): string {
  const at = (keys: readonly PropertyKey[]) =>
    keys.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], data);
  const [first, index] = path;
  const isRule = first === "rules" && index !== undefined;
  const called = isRule ? at(["rules", index, "name"]) : undefined;
  const rule =
    typeof called === "string" ? `rule "${called}": ` : isRule ? `rule ${Number(index) + 1}: ` : "";
  const where = path.slice(isRule ? 2 : 0).join(".");
  const place = `${rule}${where === "" ? "" : `${where}: `}`;
  if (code === "unrecognized_keys") {
    const known = Object.keys((isRule ? ruleSchema : packSchema).shape).join(", ");
    return `${place}unknown key ${(more as { keys: string[] }).keys.join(", ")}; expected one of ${known}`;
  }
  const value = JSON.stringify(at(path));
  return `${place}expected ${message}${value === undefined ? "" : `, not ${value}`}`;
}

/** Compiles a pack's patterns once. */
export function compilePack(source: PackSource): Pack {
  const regex = (text: string, where: string): Pattern => {
    try {
      return compilePattern(expand(text, source.define));
    } catch (error) {
      const what = error instanceof Error ? error.message : text;
      throw new PackError(
        `${where}: expected a regular expression (${what}; RE2 has no look-around and no back-references), not ${JSON.stringify(text)}`,
      );
    }
  };
  return {
    name: source.name,
    detect: source.detect.map((sign) => regex(sign, `pack "${source.name}": detect`)),
    rules: source.rules.map((rule): ScreenRule => {
      const compile = (key: string) => (text: string) => regex(text, `rule "${rule.name}": ${key}`);
      return {
        id: `${source.name}/${rule.name}`,
        says: rule.says,
        in: rule.in,
        match: compile("match")(
          typeof rule.match === "string" ? rule.match : rule.match.map((one) => `(?:${one})`).join("|"),
        ),
        also: rule.also.map(compile("also")),
        not: rule.not.map(compile("not")),
        notice: rule.notice,
        lively: rule.lively === undefined ? Number.MAX_SAFE_INTEGER : rule.lively * 1000,
        quiet: rule.quiet * 1000,
        ...given({ kind: rule.kind, context: rule.context }),
      };
    }),
  };
}

function expand(text: string, define: Readonly<Record<string, string>>): string {
  return text.replace(/%(\w+)%/g, (whole, name: string) => {
    const { [name]: piece, ...others } = define;
    return piece === undefined ? whole : expand(piece, others);
  });
}

/** The packs that come with the product, as they were written. */
export function ownPacks(): PackSource[] {
  return Object.entries(OWN_PACKS).map(([name, data]) => checkPack(data, name));
}

/** A user's pack with the pieces that the pack of ours with its name defines. */
export function completed(source: PackSource): PackSource {
  const own = ownPacks().find(({ name }) => name === source.name);
  return { ...source, define: { ...own?.define, ...source.define } };
}

/**
 * All packs. A user's pack with a known name puts its rules before those of that pack; another name is a new client, or,
 * without signs to detect, rules for every screen.
 */
function merged(extra: readonly PackSource[]): PackSource[] {
  const own = ownPacks().map((pack) => {
    const more = extra.filter(({ name }) => name === pack.name);
    return {
      ...pack,
      define: Object.assign({}, pack.define, ...more.map(({ define }) => define)),
      detect: [...more.flatMap(({ detect }) => detect), ...pack.detect],
      rules: [...more.flatMap(({ rules }) => rules), ...pack.rules],
    };
  });
  const added = extra.filter(({ name }) => own.every((pack) => pack.name !== name));
  return [...added, ...own];
}

/** All packs, ready for the reader. */
export function loadPacks(extra: readonly PackSource[] = []): Packs {
  const all = merged(extra).map(compilePack);
  return {
    clients: all.filter(({ detect }) => detect.length > 0),
    generic: all.filter(({ detect }) => detect.length === 0),
  };
}

/** Throws if a user's packs spoil a pack of ours. Compiling all of them would hold up the watcher at a reload. */
export function checkPacks(extra: readonly PackSource[]): void {
  const names = new Set(extra.map(({ name }) => name));
  for (const pack of merged(extra)) if (names.has(pack.name)) compilePack(pack);
}

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
