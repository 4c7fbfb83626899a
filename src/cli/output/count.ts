import { InvalidArgumentError } from "commander";

/** Reads how many of something are wanted. */
export function countOf(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0 && count <= 10_000) return count;
  throw new InvalidArgumentError("expected a whole number from 1 to 10000.");
}
