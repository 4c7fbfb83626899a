import { CodedError } from "../core/coded-error.ts";

/** The daemon did not come up, did not go, or is not there. */
export class DaemonError extends CodedError<
  "not-started" | "not-stopped" | "not-running" | "not-restarted" | "not-joined"
> {
  override readonly name = "DaemonError";
}
