import type { $ZodIssue } from "zod/v4/core";
import { sayValue } from "../agent/error.ts";
import { type InputProblem, sayProblem } from "../core/beat-input.ts";
import { nearest } from "../core/nearest.ts";
import { configSchema } from "./schema.ts";

const SECRETIVE: ReadonlySet<string> = new Set(["channels", "forge", "store", "tasks"]);

type Path = readonly (string | number)[];

/** Finds the line on which a path stands. */
export type Locate = (path: Path, key?: string) => number | undefined;

/** Turns the validator's issues into sentences that begin with the line, in the order of lines. */
export function sayIssues(issues: readonly $ZodIssue[], value: unknown, locate: Locate): string[] {
  const said = issues.flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
    // Somebody may have written a secret there: what stands in the file is not said again.
    if (SECRETIVE.has(String(path[0]))) {
      const key = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
      const where = sayPath(key === undefined ? path : [...path, key]);
      const meant = path.at(-1) === "kind" ? meantKind(valueAt(value, path), issue.message) : "";
      return [
        `${at(locate(path, key))}${where}: ${key === undefined ? "expected" : "unknown key;"} ${issue.message}${meant}`,
      ];
    }
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => sayUnknown(path, key, valueAt(value, path), locate(path, key)));
    }
    const { message } = issue;
    if (issue.code === "custom" && issue.params?.whole !== undefined)
      return [`${at(locate(path))}${sayPath(path)}: ${message}`];
    // "…, not both" already says what is wrong: ", not …" after it would be a riddle.
    if (message.endsWith(", not both")) return [`${at(locate(path))}${sayPath(path)}: expected ${message}`];
    return [sayAt({ path: sayPath(path), value: valueAt(value, path), expected: message }, locate(path))];
  });
  const lineOf = (sentence: string) => Number(/^:(\d+): /.exec(sentence)?.[1] ?? 0);
  return said.sort((a, b) => lineOf(a) - lineOf(b));
}

function meantKind(written: unknown, kinds: string): string {
  const near = typeof written === "string" ? nearest(written, kinds.match(/\w+/g) ?? []) : undefined;
  return near === undefined ? "" : `; did you mean "${near}"?`;
}

function sayUnknown(path: Path, key: string, parent: unknown, line: number | undefined): string {
  const near = nearest(key, knownKeys(path));
  const what = near === undefined ? `one of ${knownKeys(path).join(", ")}` : `did you mean "${near}"?`;
  const where = sayPath([...path, key]);
  if (near !== undefined) return sayAt({ path: where, value: undefined, expected: what }, line);
  return `${at(line)}${where}: unknown key (value ${sayValue(valueAt(parent, [key]))}); expected ${what}`;
}

function sayAt(problem: InputProblem, line: number | undefined): string {
  return `${at(line)}${sayProblem(problem)}`;
}

function at(line: number | undefined): string {
  return line === undefined ? "" : `:${line}: `;
}

function sayPath(path: Path): string {
  return path.reduce<string>((said, part) => {
    if (typeof part === "number") return `${said}[${part}]`;
    return said === "" ? part : `${said}.${part}`;
  }, "");
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, part) => {
    return typeof inner === "object" && inner !== null
      ? (inner as Record<string | number, unknown>)[part]
      : undefined;
  }, value);
}

/** The keys that the schema knows at a path. */
function knownKeys(path: Path): string[] {
  let schema: unknown = configSchema;
  for (const part of path)
    schema =
      typeof part === "number"
        ? inner(schema, "element")
        : (shapeOf(schema)[part] ?? inner(schema, "valueType"));
  return Object.keys(shapeOf(schema));
}

function shapeOf(schema: unknown): Record<string, unknown> {
  return (inner(schema, "shape") as Record<string, unknown> | undefined) ?? {};
}

/** Looks through wrappers (defaults, optional) for a property of the schema's definition. */
function inner(schema: unknown, property: "shape" | "element" | "valueType"): unknown {
  const definition = (schema as { def?: Record<string, unknown> } | undefined)?.def;
  if (definition === undefined) return undefined;
  return definition[property] ?? inner(definition.innerType ?? definition.in, property);
}
