import { userInfo } from "node:os";
import { InvalidArgumentError } from "commander";
import { expectedDuration, type Millis, parseDuration } from "../../core/duration.ts";

// How values of options are read, and their defaults.

export function countOf(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0 && count <= 10_000) return count;
  throw new InvalidArgumentError("expected a whole number from 1 to 10000.");
}

export function lengthOf(text: string): Millis {
  const length = parseDuration(text);
  if (length !== undefined) return length;
  throw new InvalidArgumentError(
    `expected ${expectedDuration(text, "a duration such as 15m, 1h30m or 90s")}.`,
  );
}

/** The end of a command's help. */
export function examples(...commands: readonly string[]): string {
  const lines = commands.map((command) => `\n  $ rollcall ${command}`);
  return `\nExample${commands.length > 1 ? "s" : ""}:${lines.join("")}`;
}

/** The name of the user that runs the command, as the system knows it. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "somebody";
  }
}
