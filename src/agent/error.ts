/** What can go wrong with a beat. `unwritable` is the disk's fault; every other code is the caller's. */
export type AgentErrorCode =
  | "bad-agent-id"
  | "bad-status"
  | "bad-state"
  | "bad-until"
  | "bad-source"
  | "bad-cycle"
  | "bad-text"
  | "bad-pid"
  | "bad-every"
  | "cycle-running"
  | "no-home"
  | "no-such-work"
  | "not-checked"
  | "unwritable";

/** An error of `rollcall/agent`: its sentence says what is wrong, the value, and what would be right. */
export class AgentError extends Error {
  readonly code: AgentErrorCode;

  constructor(code: AgentErrorCode, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = "AgentError";
    this.code = code;
  }
}

/** A value as an error shows it: on one line, and short. */
export function sayValue(value: unknown): string {
  if (value === undefined) return "nothing";
  const shown = JSON.stringify(value) ?? String(value);
  return shown.length > 80 ? `${shown.slice(0, 79)}…` : shown;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the disk",
  EDQUOT: "the disk quota is used up",
  ENOTDIR: "a part of the path is not a folder",
  EEXIST: "a file stands where a folder should be",
  EISDIR: "a folder stands where a file should be",
};

/** The error for a file or folder that could not be written: the path, and why in plain words. */
export function unwritable(path: string, cause: unknown): AgentError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  const why = code === undefined ? String(cause) : `${REASONS[code] ?? "it failed"} (${code})`;
  return new AgentError("unwritable", `cannot write ${path}: ${why}`, { cause });
}
