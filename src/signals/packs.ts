import { parse } from "yaml";
import * as z from "zod";
import type { Pack, Packs, Rule } from "../core/screen/rule.ts";
import aider from "./packs/aider.yaml";
import claudeCode from "./packs/claude-code.yaml";
import codex from "./packs/codex.yaml";
import geminiCli from "./packs/gemini-cli.yaml";
import generic from "./packs/generic.yaml";
import opencode from "./packs/opencode.yaml";
import qwenCode from "./packs/qwen-code.yaml";

const texts = { claudeCode, codex, qwenCode, geminiCli, opencode, aider, generic };

const pattern = z.string().min(1);
const ruleSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/, "small letters, digits and dashes"),
  says: z.enum([
    ...["shell", "crash", "waiting", "login", "limited"],
    ...["retrying", "busy", "tool", "idle", "agent", "ignore"],
  ] as const),
  in: z.enum([
    ...["title", "code", "cursor", "prompt", "bottom", "end"],
    ...["tail", "message", "output", "row", "anywhere"],
  ] as const),
  /** A pattern, or several of which any will do. */
  match: z.union([pattern, z.array(pattern).min(1)]),
  also: z.array(pattern).default([]),
  not: z.array(pattern).default([]),
  notice: z.boolean().default(false),
  /** Seconds of silence after which, and before which, the rule is not believed. */
  lively: z.number().positive().optional(),
  quiet: z.number().min(0).max(60).default(0),
  kind: z.string().optional(),
  context: z.enum(["model", "tool", "unknown"]).optional(),
  examples: z.array(z.string().min(1)).min(1),
  counter: z.array(z.string()).default([]),
});
const packSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/, "small letters, digits and dashes"),
  /** A pack without signs applies to every screen. */
  detect: z.array(pattern).default([]),
  /** Pieces that patterns share, written there as `%name%`. */
  define: z.record(z.string(), pattern).default({}),
  rules: z.array(ruleSchema).min(1),
});

export type PackSource = z.infer<typeof packSchema>;

/** A pack that cannot be used: says which one, where in it and what is wrong. */
export class PackError extends Error {
  readonly code = "PACK_INVALID";
}

/** Reads the text of a pack; `from` names it in errors. */
export function parsePack(text: string, from: string): PackSource {
  let data: unknown;
  try {
    data = parse(text);
  } catch (error) {
    throw new PackError(`${from}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const checked = packSchema.safeParse(data);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new PackError(`${from}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
}

/** Compiles a pack's patterns once. They ignore case, and `^` and `$` stand for a row's ends. */
export function compilePack(source: PackSource): Pack {
  const regex = (text: string, where: string): RegExp => {
    try {
      return new RegExp(expand(text, source.define), "imu");
    } catch (error) {
      throw new PackError(`${source.name}/${where}: ${error instanceof Error ? error.message : text}`);
    }
  };
  return {
    name: source.name,
    detect: source.detect.map((sign) => regex(sign, "detect")),
    rules: source.rules.map((rule): Rule => {
      const compile = (text: string) => regex(text, rule.name);
      return {
        id: `${source.name}/${rule.name}`,
        says: rule.says,
        in: rule.in,
        match: compile(
          typeof rule.match === "string" ? rule.match : rule.match.map((one) => `(?:${one})`).join("|"),
        ),
        also: rule.also.map(compile),
        not: rule.not.map(compile),
        notice: rule.notice,
        lively: rule.lively === undefined ? Number.MAX_SAFE_INTEGER : rule.lively * 1000,
        quiet: rule.quiet * 1000,
        ...(rule.kind === undefined ? {} : { kind: rule.kind }),
        ...(rule.context === undefined ? {} : { context: rule.context }),
      };
    }),
  };
}

function expand(text: string, define: Readonly<Record<string, string>>): string {
  return text.replace(/%(\w+)%/g, (whole, name: string) => define[name] ?? whole);
}

/** The packs that come with the product, as they were written. */
export function ownPacks(): PackSource[] {
  return Object.entries(texts).map(([name, text]) => parsePack(text, name));
}

/**
 * All packs, ready for the reader. A user's pack with a known name puts its rules before those of that pack;
 * another name is a new client, or, without signs to detect, rules for every screen.
 */
export function loadPacks(extra: readonly PackSource[] = []): Packs {
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
  const all = [...added, ...own].map(compilePack);
  return {
    clients: all.filter(({ detect }) => detect.length > 0),
    generic: all.filter(({ detect }) => detect.length === 0),
  };
}
