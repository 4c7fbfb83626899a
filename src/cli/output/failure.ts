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
export function isFailure(error: unknown): error is Failure {
  return error instanceof Error && error.name === "Failure";
}

/** The exit code for an agent or a home that is not there; of every command the same. */
export const NOT_THERE = 3;

/** Nobody of that name is on the roll. Names that are close are added where it is told. */
export class NoSuchAgentError extends Failure {
  readonly code = "no-such-agent";

  constructor(id: string) {
    super(`there is no agent "${id}"`, NOT_THERE);
  }
}

/** Errors that carry a code and a sentence of their own: they are for people. */
export function isForPeople(error: unknown): error is Error & { code?: string } {
  return (
    isFailure(error) || (error instanceof Error && typeof (error as { code?: unknown }).code === "string")
  );
}
