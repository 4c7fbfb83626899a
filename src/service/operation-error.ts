import { isAgentId } from "../core/agent.ts";
import type { Millis } from "../core/duration.ts";

/**
 * An operation that was not done, and why. The API turns the code into a status, a command into an exit code. Errors of
 * the watcher (`RollError`) and of the store have the same shape.
 */
export class OperationError extends Error {
  readonly code: string;
  /** The status of the answer, where a watcher gave one. */
  readonly status: number | undefined;
  readonly retryAfter: Millis | undefined;

  constructor(
    code: string,
    message: string,
    more: { readonly status?: number; readonly retryAfter?: Millis | undefined } = {},
  ) {
    super(message);
    this.name = "OperationError";
    this.code = code;
    this.status = more.status;
    this.retryAfter = more.retryAfter;
  }
}

export function noSuchAgent(id: string): OperationError {
  const why = isAgentId(id) ? `there is no agent "${id}"` : "that is not an agent id";
  return new OperationError("no-such-agent", why);
}
