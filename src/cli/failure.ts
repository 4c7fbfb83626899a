/** A mistake or a misfortune that a person should read about in one sentence, without a stack trace. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = "Failure";
    this.exitCode = exitCode;
  }
}

/** Errors that carry a code and a sentence of their own: they are for people. */
export function isForPeople(error: unknown): error is Error & { code?: string } {
  return (
    error instanceof Failure ||
    (error instanceof Error && typeof (error as { code?: unknown }).code === "string")
  );
}
