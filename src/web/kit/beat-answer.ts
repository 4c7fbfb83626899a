import type { Millis } from "../../core/duration.ts";
import type { ProblemCode } from "./problem.ts";

/** How the sender of beats is answered, once. */
export interface BeatAnswer {
  readonly isGiven: boolean;
  stored(): void;
  problem(
    code: ProblemCode,
    detail: string,
    how?: { readonly close?: boolean; readonly retryAfter?: Millis | undefined },
  ): void;
}
