import { CodedError } from "../coded-error.ts";

type TickCode =
  | "bad-registry"
  | "no-registry"
  | "no-ticks"
  | "no-agent"
  | "bad-month"
  | "unwritable"
  | "bad-template"
  | "bad-forge";

/** Ticks cannot be submitted or checked at all: what is in the way, and what would be right. */
export class TickError extends CodedError<TickCode> {
  override readonly name = "TickError";
}
