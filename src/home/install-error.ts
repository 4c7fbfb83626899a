import { CodedError } from "../core/coded-error.ts";

type InstallCode =
  | "bad-program"
  | "bad-text"
  | "bad-options"
  | "bad-schedule"
  | "not-ours"
  | "unwritable"
  | "broken-block"
  | "systemctl-failed"
  | "no-cron"
  | "crontab-failed";

/** Something cannot be installed or removed: what is in the way, and what would be right. */
export class InstallError extends CodedError<InstallCode> {
  override readonly name = "InstallError";
}

/** Unit files and crontabs are read line by line: what would end a line or hide in it is refused. */
export function refuseControl(what: string, text: string): void {
  if (!/[\0-\x1f\x7f]/.test(text)) return;
  throw new InstallError(
    "bad-text",
    `${what} ${JSON.stringify(text)} contains a newline or another control character; ` +
      "it cannot stand in one line",
  );
}
