import { StoreError, type StoreProblem } from "../../ports/store.ts";

/** PostgreSQL's error codes that mean something to people who run Rollcall; two letters stand for their whole class. */
const BY_STATE: Readonly<Record<string, StoreProblem>> = {
  "53100": "full",
  "53200": "busy",
  "53300": "unreachable",
  "55P03": "busy",
  "57P03": "unreachable",
  "40001": "busy",
  "40P01": "busy",
  "25006": "read-only",
  "42501": "read-only",
  XX001: "corrupt",
  XX002: "corrupt",
};

const HELP: Readonly<Partial<Record<StoreProblem, string>>> = {
  corrupt: "Restore it from a backup.",
  full: "Nothing of this change was kept; free some space on the server's disk.",
  "read-only": "Give this user the right to write, and check that the address is not a standby's.",
  busy: "Rollcall tries again.",
};

const WHAT: Readonly<Partial<Record<StoreProblem, string>>> = {
  corrupt: "is damaged",
  full: "cannot grow: its disk is full",
  "read-only": "cannot be written",
  busy: "is not ready",
  unreachable: "cannot be reached",
};

/** The server did not answer in time: nobody knows what became of the statement. */
export class LostAnswerError extends Error {
  override readonly name = "LostAnswerError";
}

/** Any error of the database as the port's error. `where` names it without its password. */
export function problem(where: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const state = stateOf(error);
  const code = BY_STATE[state] ?? (isLost(error) ? "unreachable" : "failed");
  const detail = error instanceof Error ? error.message : String(error);
  const help = HELP[code] === undefined ? "" : ` ${HELP[code]}`;
  return new StoreError(code, `the database ${where} ${WHAT[code] ?? "cannot be used"} (${detail}).${help}`, {
    cause: error,
  });
}

/**
 * Whether an error leaves open what became of the statement. An answer of the server says that nothing of it was kept,
 * except when the server ends the session (57P, 08): it does that also after the commit, while it waits for a standby.
 */
export function isLost(error: unknown): boolean {
  if (error instanceof TypeError) return false;
  const state = stateOf(error);
  return state === "" || /^(?:08|57P0[0-2]|57P05)/.test(state);
}

/** Whether a row was there already. */
export function isRepeated(error: unknown): boolean {
  return stateOf(error) === "23505";
}

/** The five characters of PostgreSQL's error code. Errors of the system have words such as ECONNREFUSED. */
function stateOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^[0-9A-Z]{5}$/.test(code) && "severity" in (error as Error) ? code : "";
}
