import { type Instant, iso, MINUTE } from "../../core/duration.ts";
import type { LogFile } from "../../session-log/template.ts";

/** A pipe writes at once; a log that is this much older than what its pane wrote does not get it. */
const FED_WITHIN = MINUTE;

/** Whether a log no longer gets what its pane writes. It is broken then, and its silence tells nothing. */
export function isUnfed({ modifiedAt }: Pick<LogFile, "modifiedAt">, paneWroteAt: Instant): boolean {
  return paneWroteAt - modifiedAt > FED_WITHIN;
}

/** The same as a sentence, which stays the same while it lasts. */
export function unfedProblem(file: LogFile, paneWroteAt: Instant | undefined): string | undefined {
  if (paneWroteAt === undefined || !isUnfed(file, paneWroteAt)) return undefined;
  return `the log ${file.path} has received nothing from its pane since ${iso(file.modifiedAt)}: it was rotated, or the pane is no longer piped to it`;
}
