import { TaskSourceError } from "../../ports/task-source.ts";
import type { TaskAdapter } from "../kit/adapter.ts";
import type { TaskList } from "../kit/listed.ts";
import { readFileUpTo } from "../kit/read-file.ts";
import { decodeText, MOST_BYTES, readDocument, readLines } from "../kit/read-tasks.ts";
import { fileSettings } from "./settings.ts";

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
      const text = decodeText(await readBytes(path, abort), origin);
      return /\.(jsonl|ndjson)$/i.test(path) ? readLines(text, origin) : readDocument(text, origin).tasks;
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
  return new TaskSourceError(
    "unreadable",
    `${path}: expected a file that this user may read (${code ?? name})`,
  );
}
