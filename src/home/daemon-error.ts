/** The daemon did not come up, did not go, or is not there. */
export class DaemonError extends Error {
  readonly code: "not-started" | "not-stopped" | "not-running" | "not-restarted" | "not-joined";

  constructor(code: DaemonError["code"], message: string) {
    super(message);
    this.name = "DaemonError";
    this.code = code;
  }
}
