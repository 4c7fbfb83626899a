import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { mapping, text } from "../../ports/setting-forms.ts";
import { TaskSourceError } from "../../ports/task-source.ts";
import type { TaskAdapter } from "../kit/adapter.ts";
import type { TaskList } from "../kit/listed.ts";
import { decodeText, MOST_BYTES, readDocument, readLines } from "../kit/read-tasks.ts";

const PATH_FORM = "a path such as ~/tasks.json or tasks.jsonl (in Rollcall's home)";

/** How the config names a file with tasks. */
const fileSettings = mapping({
  path: text(PATH_FORM)
    .meta({ description: "the file; JSON Lines if it ends in .jsonl or .ndjson, else JSON" })
    .default("tasks.json"),
}).meta({ description: "a file with tasks" });

export const fileSource: TaskAdapter<"file", typeof fileSettings> = {
  kind: "file",
  settings: fileSettings,
  open: ({ path }, { absolute }) => fileTasks(absolute(path)),
};

/** The tasks in a file that a person or a program writes, at an absolute path. */
export function fileTasks(path: string): TaskList {
  const origin = { name: path, strict: true };
  return {
    name: path,
    async list(abort) {
      const document = decodeText(await readBytes(path, abort), origin);
      return /\.(jsonl|ndjson)$/i.test(path)
        ? readLines(document, origin)
        : readDocument(document, origin).tasks;
    },
  };
}

async function readBytes(path: string, abort: AbortSignal): Promise<Uint8Array> {
  const read = await readFileUpTo(path, MOST_BYTES, abort).catch((error: NodeJS.ErrnoException) => {
    throw whyNot(path, error, abort);
  });
  if (read === "no-file") throw new TaskSourceError("unreadable", `${path}: expected a file with tasks`);
  if (read !== "too-large") return read;
  throw new TaskSourceError("too-large", `${path}: expected at most ${MOST_BYTES / 1024 / 1024} MB`);
}

function whyNot(path: string, { code, name }: NodeJS.ErrnoException, abort: AbortSignal): TaskSourceError {
  if (abort.aborted) return new TaskSourceError("aborted", `${path}: reading was stopped`);
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new TaskSourceError("no-source", `${path}: there is no such file; expected a list of tasks there`);
  }
  const problem = `expected a file that this user may read (${code ?? name})`;
  return new TaskSourceError("unreadable", `${path}: ${problem}`);
}

/** A file's bytes, or why it is not read. Rejects with the error of the system, or when it is told to stop. */
export async function readFileUpTo(
  path: string,
  most: number,
  abort: AbortSignal,
): Promise<Uint8Array | "no-file" | "too-large"> {
  abort.throwIfAborted();
  // A pipe that was put in the file's place must not hang the reader.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return "no-file";
    if (stat.size > most) return "too-large";
    const bytes = await file.readFile({ signal: abort });
    return bytes.length > most ? "too-large" : bytes;
  } finally {
    await file.close();
  }
}
