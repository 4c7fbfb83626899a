import { sayDuration } from "../../core/duration.ts";
import type { AgentWithPing } from "../../service/operations.ts";
import { clock, plain } from "./terminal.ts";

type Handled = Pick<AgentWithPing, "acknowledgedBy" | "mutedUntil">;

/** Why an agent in trouble causes no more alerts: `acknowledged by anna; muted until 14:05:00`, or nothing. */
export function sayHandled({ acknowledgedBy, mutedUntil }: Handled, now: number): string {
  return [
    ...(acknowledgedBy === undefined ? [] : [`acknowledged by ${plain(acknowledgedBy)}`]),
    ...(mutedUntil === undefined ? [] : [`muted until ${clock(mutedUntil, now)}`]),
  ].join("; ");
}

/** The same in little room: `acked, muted 5 min`. */
export function sayHandledShortly({ acknowledgedBy, mutedUntil }: Handled, now: number): string {
  return [
    ...(acknowledgedBy === undefined ? [] : ["acked"]),
    ...(mutedUntil === undefined ? [] : [`muted ${sayDuration(Date.parse(mutedUntil) - now)}`]),
  ].join(", ");
}
