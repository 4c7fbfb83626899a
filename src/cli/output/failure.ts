/** A mistake or a misfortune that a person should read about in one sentence, without a stack trace. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = "Failure";
    this.exitCode = exitCode;
  }
}

/** By its name: it may come from another bundle, which has a class of its own. */
function isFailure(error: unknown): error is Failure {
  return error instanceof Error && error.name === "Failure";
}

/** The exit code for a wrong option, argument or value; of every command the same. */
export const BAD_USAGE = 2;

/** The exit code for a thing that is named and is not there, such as an agent or a home; of every command the same. */
export const NOT_THERE = 3;

/** Nobody of that name is on the roll. Names that are close are added where it is told. */
export class NoSuchAgentError extends Failure {
  readonly code = "no-such-agent";

  constructor(id: string) {
    super(`there is no agent "${id}"`, NOT_THERE);
  }
}

/** What somebody typed, as the service refuses it. */
const BAD_VALUES: ReadonlySet<string> = new Set(["bad-agent", "bad-host", "bad-silence", "bad-token"]);

/** The exit code of an error for people. docs/exit-codes.md describes them. */
export function exitCodeFor(error: Error & { readonly code?: string }): number {
  if (isFailure(error)) return error.exitCode;
  const { code = "" } = error;
  if (code.startsWith("no-such-") || code === "no-home") return NOT_THERE;
  const isCallers = error.name === "AgentError" && code !== "unwritable";
  return isCallers || BAD_VALUES.has(code) ? BAD_USAGE : 1;
}

/** Errors that carry a code and a sentence of their own: they are for people. */
export function isForPeople(error: unknown): error is Error & { code?: string } {
  return (
    isFailure(error) || (error instanceof Error && typeof (error as { code?: unknown }).code === "string")
  );
}
