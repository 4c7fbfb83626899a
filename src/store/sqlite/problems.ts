import { StoreError, type StoreProblem } from "../../ports/store.ts";

/** SQLite's primary result codes (the low byte) that mean something to whoever runs us. */
const BY_RESULT: Readonly<Record<number, StoreProblem>> = {
  5: "busy",
  6: "busy",
  8: "read-only",
  11: "corrupt",
  13: "full",
  26: "corrupt",
};
/** The binding does not always give the code; SQLite's sentences are as stable as its numbers. */
const BY_TEXT: readonly (readonly [RegExp, StoreProblem])[] = [
  [/disk image is malformed|file is not a database/, "corrupt"],
  [/disk is full/, "full"],
  [/readonly database/, "read-only"],
  [/is locked/, "busy"],
];
/** The system's own errors, by name where Node met them and by Linux's number where SQLite did. */
const BY_SYSTEM: Readonly<Record<string, StoreProblem>> = {
  EACCES: "read-only",
  EPERM: "read-only",
  EROFS: "read-only",
  ENOSPC: "full",
  EDQUOT: "full",
  13: "read-only",
  1: "read-only",
  30: "read-only",
  28: "full",
  122: "full",
};

const HELP: Readonly<Record<StoreProblem, string>> = {
  "newer-schema": "Update Rollcall.",
  corrupt: "Move it aside to start anew, or put a copy of it back.",
  full: "Nothing of this change was kept; free some space on its disk and it goes on.",
  "read-only": "Give this user the right to write it and its folder, or choose another home.",
  busy: "Another program holds it; try again when that has ended.",
  unreachable: "Start its server.",
  closed: "Open it again.",
  fenced: "End this process.",
  failed: "",
};

const WHAT: Readonly<Record<StoreProblem, string>> = {
  "newer-schema": "was written by a newer version",
  corrupt: "is damaged, or not a database",
  full: "cannot grow: its disk is full",
  "read-only": "cannot be written",
  busy: "is locked",
  unreachable: "cannot be reached",
  closed: "is closed",
  fenced: "was taken over by another process",
  failed: "cannot be used",
};

/** Whatever went wrong with the database file, as the port's error. */
export function problem(file: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  const detail = error instanceof Error ? error.message : String(error);
  const help = HELP[code] === "" ? "" : ` ${HELP[code]}`;
  return new StoreError(code, `the database ${file} ${WHAT[code]} (${detail}).${help}`, { cause: error });
}

function codeOf(error: unknown): StoreProblem {
  if (typeof error !== "object" || error === null) return "failed";
  if ("systemErrno" in error) {
    const known = BY_SYSTEM[String(error.systemErrno)];
    if (known !== undefined) return known;
  }
  if ("errcode" in error && typeof error.errcode === "number") {
    return BY_RESULT[error.errcode & 0xff] ?? "failed";
  }
  const system = "code" in error ? BY_SYSTEM[String(error.code)] : undefined;
  const said = error instanceof Error ? error.message : "";
  return system ?? BY_TEXT.find(([text]) => text.test(said))?.[1] ?? "failed";
}
