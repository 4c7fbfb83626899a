const LARGEST = 2n ** 64n - 1n;
const DECIMAL = /^(?:0|[1-9][0-9]{0,19})$/;
const HEXADECIMAL = /^0x[0-9a-f]{1,16}$/i;

/** What would be right, after "expected". */
export const UINT64_FORM = 'a whole number from 0 to 2^64-1, as text ("18446744073709551615") beyond 2^53';

/**
 * Reads an unsigned value of 64 bits, or gives undefined. A number beyond 2^53 is refused, because it may have been
 * rounded before it came here.
 */
export function readUint64(value: unknown): bigint | undefined {
  const read = exact(value);
  return read !== undefined && read >= 0n && read <= LARGEST ? read : undefined;
}

function exact(value: unknown): bigint | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== "string") return undefined;
  return DECIMAL.test(value) || HEXADECIMAL.test(value) ? BigInt(value) : undefined;
}
