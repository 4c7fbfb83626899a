/** Why something could not be connected. Nothing was changed. */
export class ConnectError extends Error {
  readonly code:
    | "bad-settings"
    | "odd-settings"
    | "own-notify"
    | "unwritable-settings"
    | "no-such-client"
    | "no-curl";

  constructor(code: ConnectError["code"], message: string) {
    super(message);
    this.name = "ConnectError";
    this.code = code;
  }
}
