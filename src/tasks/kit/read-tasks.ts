import { sayProblem } from "../../core/beat-input.ts";
import { jsonFault, parseExactJson } from "../../core/task/exact-json.ts";
import type { Task } from "../../core/task/task.ts";
import { readTask } from "../../core/task/task-input.ts";
import { TaskSourceError } from "../../ports/task-source.ts";

/** More than this is not read: it would be held in memory several times over. */
export const MOST_BYTES = 20 * 1024 * 1024;

const LIST_FORM = 'a list of tasks, or an object such as {"tasks": [...]}';

export interface Origin {
  /** What people know it by; it holds no secret. */
  readonly name: string;
  readonly strict: boolean;
}

/** Decodes text, or says that it is none. A byte-order mark is left out. */
export function decodeText(bytes: Uint8Array, { name }: Origin): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new TaskSourceError("bad-json", `${name}: expected JSON in UTF-8, not other bytes`);
  }
}

/** Reads a whole document: a list, or an object with a list and perhaps where the next page is. */
export function readDocument(text: string, origin: Origin): { tasks: readonly Task[]; next: unknown } {
  const value = parse(text, origin);
  if (Array.isArray(value))
    return { tasks: readAll(value, (index) => `[${index}]`, origin), next: undefined };
  const { tasks, next } = (typeof value === "object" && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  if (!Array.isArray(tasks)) throw new TaskSourceError("bad-json", `${origin.name}: expected ${LIST_FORM}`);
  return { tasks: readAll(tasks, (index) => `tasks[${index}]`, origin), next };
}

/** Reads JSON Lines: a task a line. Empty lines mean nothing. */
export function readLines(text: string, origin: Origin): readonly Task[] {
  const lines = text.split("\n").map((line, index) => ({ line, number: index + 1 }));
  const written = lines.filter(({ line }) => line.trim() !== "");
  const values = written.map(({ line, number }) => parse(line, origin, number));
  return readAll(values, (index) => `line ${written[index]?.number}`, origin);
}

function parse(text: string, { name }: Origin, line?: number): unknown {
  try {
    return parseExactJson(text);
  } catch {
    // The parser's own sentence quotes the text, which may be anything; of it only the place is told.
    throw new TaskSourceError("bad-json", `${name}: expected JSON, ${sayFault(text, line)}`);
  }
}

function sayFault(text: string, line: number | undefined): string {
  const fault = jsonFault(text) ?? 0;
  const lines = text.slice(0, fault).split("\n");
  const place = `line ${line ?? lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
  if (text.trim() === "") return "not nothing";
  return fault === text.length ? `which ends too early at ${place}` : `which goes wrong at ${place}`;
}

function readAll(
  values: readonly unknown[],
  path: (index: number) => string,
  origin: Origin,
): readonly Task[] {
  const places = new Map<string, string>();
  return values.map((value, index) => {
    const where = path(index);
    const read = readTask(value, { path: where, strict: origin.strict });
    if ("problem" in read)
      throw new TaskSourceError("bad-task", `${origin.name}: ${sayProblem(read.problem)}`);
    const { id } = read.task;
    const twin = places.get(id);
    if (twin !== undefined) {
      const problem = `${where}.id: expected an id that is used once, not that of ${twin}, "${id}"`;
      throw new TaskSourceError("bad-task", `${origin.name}: ${problem}`);
    }
    places.set(id, where);
    return read.task;
  });
}
