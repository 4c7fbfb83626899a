import type { Value } from "../kit/protocol.ts";
import type { ColumnType } from "../kit/tables.ts";

/** PostgreSQL's number for the type of an element. */
const TYPES: Readonly<Record<ColumnType, number>> = { int8: 20, int2: 21, int4: 23, text: 25, float8: 701 };
const BYTES: Readonly<Record<Exclude<ColumnType, "text">, number>> = { int2: 2, int4: 4, int8: 8, float8: 8 };
const HEAD = 20;

/**
 * An array in PostgreSQL's binary form. As text, every quote in the JSON of a beat would be escaped here and read back there.
 */
export function arrayOf(values: readonly Value[], type: ColumnType): Buffer {
  const array = Buffer.allocUnsafe(sizeOf(values, type));
  array.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  array.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  array.writeInt32BE(TYPES[type], 8);
  array.writeInt32BE(values.length, 12);
  array.writeInt32BE(1, 16);
  let at = values.length === 0 ? 12 : HEAD;
  for (const value of values) {
    const bytes = value === null ? 0 : write(array, at + 4, value, type);
    array.writeInt32BE(value === null ? -1 : bytes, at);
    at += 4 + bytes;
  }
  return array.subarray(0, at);
}

/** Longer texts are measured. Of others it is enough that a unit of JavaScript's text takes at most three bytes. */
const SHORT = 1_024;

function sizeOf(values: readonly Value[], type: ColumnType): number {
  if (type !== "text") return HEAD + values.length * (4 + BYTES[type]);
  let size = HEAD;
  for (const value of values) {
    const text = value === null ? "" : String(value);
    size += 4 + (text.length > SHORT ? Buffer.byteLength(text) : 3 * text.length);
  }
  return size;
}

function write(array: Buffer, at: number, value: string | number, type: ColumnType): number {
  if (type === "text") return array.write(String(value), at);
  if (type === "float8") array.writeDoubleBE(Number(value), at);
  else if (type === "int8") array.writeBigInt64BE(BigInt(value), at);
  else if (type === "int4") array.writeInt32BE(Number(value), at);
  else array.writeInt16BE(Number(value), at);
  return BYTES[type];
}
