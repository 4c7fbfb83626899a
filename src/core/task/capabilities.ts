import type { InputProblem } from "../beat-input.ts";
import { nearest } from "../nearest.ts";
import { readUint64 } from "./uint64.ts";

/** What an agent can do. The place of a name is its bit; the other bits of the 64 have no name yet. */
export const CAPABILITIES = [
  "COMPUTE",
  "INFERENCE",
  "STORAGE",
  "NETWORK",
  "SENSOR",
  "ACTUATOR",
  "COORDINATOR",
  "ARBITER",
  "VALIDATOR",
  "AGGREGATOR",
] as const;

const MASK_FORM = 'a bit mask such as 3, "0x3" or ["COMPUTE", "INFERENCE"], of at most 64 bits';
const BITS = 64;
/** Every bit is held: no task requires too much. */
export const ALL_CAPABILITIES = (1n << BigInt(BITS)) - 1n;

/** Reads a mask from a number, a decimal or 0x text, a bigint or a list of names in any case. It never throws. */
export function readCapabilities(
  value: unknown,
  path = "capabilities",
): { mask: bigint } | { problem: InputProblem } {
  if (!Array.isArray(value)) {
    const mask = readUint64(value);
    if (mask !== undefined) return { mask };
    const beyond = typeof value === "number" && value > Number.MAX_SAFE_INTEGER;
    const expected = beyond ? `${MASK_FORM}, as text beyond 2^53` : MASK_FORM;
    return { problem: { path, value: shown(value), expected } };
  }
  let mask = 0n;
  for (const [index, name] of value.entries()) {
    const bit = typeof name === "string" ? bitOf(name) : undefined;
    if (bit === undefined) {
      return { problem: { path: `${path}[${index}]`, value: shown(name), expected: nameForm(name) } };
    }
    mask |= bit;
  }
  return { mask };
}

function bitOf(name: string): bigint | undefined {
  const bit = (CAPABILITIES as readonly string[]).indexOf(name.toUpperCase());
  return bit < 0 ? undefined : 1n << BigInt(bit);
}

function nameForm(name: unknown): string {
  // A long text is near to no name, and comparing it would cost much.
  const near = typeof name === "string" && name.length < 40 ? nearest(name, CAPABILITIES) : undefined;
  return near === undefined ? `one of ${CAPABILITIES.join(", ")}` : `"${near}"`;
}

/** Whether who holds `mask` may do what requires `required`: all of its bits. */
export function holds(mask: bigint, required: bigint): boolean {
  return (mask & required) === required;
}

/** A mask in words: `COMPUTE, INFERENCE, bit 12`; `none`. */
export function sayCapabilities(mask: bigint): string {
  const names: string[] = [];
  for (let bit = 0; bit < BITS; bit += 1) {
    if (((mask >> BigInt(bit)) & 1n) === 1n) names.push(CAPABILITIES[bit] ?? `bit ${bit}`);
  }
  return names.length === 0 ? "none" : names.join(", ");
}

/**
 * A value for a problem's sentence. Lists and objects are only named: they may be so deep that writing them out would
 * overflow the stack. A bigint becomes text, because JSON has none.
 */
export function shown(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? "(a list)" : "(an object)";
}
